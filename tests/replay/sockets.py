#!/usr/bin/python3
"""Usage: sockets.py FOLDER

Writes a kernel's trace of a process that makes a socket, accepts one, copies it, closes it, and
reads and writes them, a file, and descriptors of which the trace does not tell.
"""
import sys

sys.path.insert(0, "tests/replay")
from events import Events
from writer import metadata, packet, write

CALLS = {"socket": "i32 type;", "accept4": "u32 flags;", "dup": "u32 fildes;", "fcntl": "u32 fd; u32 cmd;", "close": "u32 fd;",
         "read": "u32 fd; u64 count;", "write": "u32 fd; u64 count;",
         "recvfrom": "i32 fd; u64 size;", "sendto": "i32 fd; u64 len;"}
# only told of: the tool asks for them
CALLS.update((name, "u32 fd;") for name in ("pread64", "readv", "preadv", "preadv2", "pwrite64", "writev", "pwritev",
                                            "pwritev2", "recvmsg", "sendmsg"))
events = Events("lttng_statedump_process_state", "lttng_statedump_file_descriptor", "sched_switch", "sched_process_exec",
                block_rq_issue="u32 dev; u64 sector; u32 nr_sector; u32 bytes; i32 tid; u32 rwbs; string comm;",
                **{"syscall_entry_" + name: fields for name, fields in CALLS.items()},
                **{"syscall_exit_" + name: "i64 ret;" for name in CALLS})
told = []


def tell(name, *values):
    told.append(events.at(10 + len(told), name, *values))


def call(name, ret, *values):
    tell("syscall_entry_" + name, *values)
    tell("syscall_exit_" + name, ret)


CLOSE_ON_EXEC = 0o2000000
F_DUPFD, F_GETFD, F_DUPFD_CLOEXEC = 0, 1, 1030
tell("lttng_statedump_process_state", 40, 40, 1, "shop")
tell("lttng_statedump_file_descriptor", 40, 7, 0, "/var/db/orders")
tell("sched_switch", "swapper/0", 0, 20, 1, "shop", 40, 20)
call("read", 1000000, 7, 1000000)           # a file
call("socket", 5, 1 | CLOSE_ON_EXEC)
call("accept4", 6, 0)
call("read", 1, 5, 100)
call("write", 20, 6, 100)
call("dup", 8, 6)
call("close", 0, 6)
call("write", 300, 8, 300)                  # a copy of a socket
call("read", 7, 6, 7)                       # closed: not known
call("recvfrom", 4000, 11, 4000)            # only sockets have that call
call("sendto", 50000, 12, 50000)
call("fcntl", 13, 8, F_DUPFD_CLOEXEC)
call("fcntl", 14, 8, F_DUPFD)
call("fcntl", 15, 8, F_GETFD)               # no copy
call("write", 7000000, 13, 7000000)
call("write", 800, 15, 800)
tell("sched_process_exec", "/bin/shop", 40, 40)
call("read", 70, 5, 70)                     # ended at the exec
call("write", 600000, 8, 600000)            # went on
call("write", 9000, 13, 9000)
call("write", 80000000, 14, 80000000)
write(sys.argv[1], {"metadata": metadata(30, more=events.metadata()), "chan_0": packet(30, False, 0, 0, 0, 999, told)})
