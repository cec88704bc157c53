#!/usr/bin/python3
"""Usage: dump.py FOLDER

Writes a kernel's trace without contexts: a state dump of two processes, then packets in which
nobody is named, and in the last one wake-ups and a read().
"""
import sys

sys.path.insert(0, "tests/ctf")
from writer import metadata, packet, write

EVENTS = (
    ("lttng_statedump_process_state", "i32 tid; i32 pid; i32 ppid; string name;"),
    ("lttng_statedump_file_descriptor", "i32 pid; i32 fd; uint32_t flags; string filename;"),
    ("lttng_statedump_end", ""),
    ("sched_switch", "string prev_comm; i32 prev_tid; i32 prev_prio; uint64_t prev_state; "
     "string next_comm; i32 next_tid; i32 next_prio;"),
    ("sched_wakeup", "string comm; i32 tid; i32 prio; i32 target_cpu;"),
    ("syscall_entry_read", "uint32_t fd; uint64_t count;"),
    ("syscall_exit_read", "uint64_t ret;"),
)
MORE = "typealias integer { size = 32; align = 8; signed = true; } := i32;\n" + "".join(
    'event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (name, i + 1, fields)
    for i, (name, fields) in enumerate(EVENTS))


def event(time, name, *values):
    number = [e[0] for e in EVENTS].index(name)
    sizes = [64 if f.split()[0] == "uint64_t" else 32 for f in EVENTS[number][1].split(";") if f.strip()]

    def fields(p):
        for v, size in zip(values, sizes):
            if isinstance(v, str):
                p.bytes(v.encode() + b"\0")
            else:
                p.int(v, size)
    return number + 1, time, fields


def switch(time, prev, following):
    names = {0: "swapper/0", 42: "worker", 50: "other"}
    return event(time, "sched_switch", names[prev], prev, 20, 1, names[following], following, 20)


dump = [event(10, "lttng_statedump_process_state", 40, 40, 1, "shop"),
        event(11, "lttng_statedump_process_state", 42, 40, 1, "worker"),
        event(12, "lttng_statedump_process_state", 50, 50, 1, "other"),
        event(13, "lttng_statedump_file_descriptor", 40, 7, 0, "/var/db/orders"),
        event(14, "lttng_statedump_end")]
work = [switch(900, 0, 42), event(901, "syscall_entry_read", 7, 100), event(905, "syscall_exit_read", 9),
        event(906, "sched_wakeup", "other", 50, 20, 0), switch(910, 42, 50),
        event(911, "sched_wakeup", "worker", 42, 20, 0), event(912, "sched_wakeup", "shop", 40, 20, 0),
        event(913, "sched_wakeup", "nobody", 99, 20, 0)]
packets = [packet(30, False, 0, 0, 0, 99, dump)]
packets += [packet(30, False, 0, k, k * 100, k * 100 + 99, [switch(k * 100 + 1, 0, 0)])
            for k in range(1, 9)]
packets.append(packet(30, False, 0, 9, 900, 999, work))
write(sys.argv[1], {"metadata": metadata(30, more=MORE), "chan_0": b"".join(packets)})
