#!/bin/sh
# What a made trace tells only together: priorities, who runs where, and files of a thread whose
# number is used again or whose call's entry is missing.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 - "$TMP/trace" <<'PY' || echo "not ok model_writer"
import sys

sys.path.insert(0, "tests/ctf")
from writer import metadata, packet, write

EVENTS = [("sched_switch", "string prev_comm; i32 prev_tid; i32 prev_prio; u64 prev_state; "
           "string next_comm; i32 next_tid; i32 next_prio;"),
          ("sched_process_fork", "string parent_comm; i32 parent_tid; i32 parent_pid; "
           "string child_comm; i32 child_tid; i32 child_pid;"),
          ("sched_wakeup", "string comm; i32 tid; i32 prio; i32 target_cpu;"),
          ("syscall_entry_openat", "i32 dfd; string filename; i32 flags;"), ("syscall_exit_openat", "i32 ret;"),
          ("syscall_entry_read", "u32 fd; u64 count;"), ("syscall_exit_read", "i32 ret;")]
MORE = "".join("typealias integer { size = %s; align = 8; signed = %s; } := %s;\n" % row for row in (
    (32, "true", "i32"), (32, "false", "u32"), (64, "true", "i64"), (64, "false", "u64")))
MORE += "".join('event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (name, i + 1, fields)
                for i, (name, fields) in enumerate(EVENTS))
events, time = [[], []], 0


def add(cpu, id, *values):
    def put(p):
        for value in values:
            if isinstance(value, str):
                p.bytes(value.encode() + b"\0")
            else:
                p.int(value[0] if isinstance(value, tuple) else value, 64 if isinstance(value, tuple) else 32)
    global time
    time += 10
    events[cpu].append((id, time, put))


def switch(cpu, prev, next):
    add(cpu, 1, "work", prev, -5 & 0xffffffff, (1,), "work", next, 20)


def fork(child):
    add(0, 2, "work", 10, 10, "work", child, child)


def opens(fd):
    add(0, 4, 0xffffff9c, "/a", 0)
    add(0, 5, fd)


def reads(fd):
    add(0, 6, fd, (1,))
    add(0, 7, 1)


switch(0, 0, 10)
fork(20)
fork(30)
switch(0, 10, 20)
switch(1, 0, 30)
for tid in 20, 30, 10:
    add(0, 3, "work", tid, 20, 0)
opens(3)
add(0, 5, 4)        # its entry is missing
reads(3)
reads(4)
fork(20)            # the number once more
reads(3)
write(sys.argv[1], {"metadata": metadata(30, more=MORE), "chan_0": packet(30, False, 0, 0, 0, 9999, events[0]),
                    "chan_1": packet(30, False, 1, 0, 0, 9999, events[1], cpu=1)})
PY
# NAME QUERY LINE...: its rows
rows() {
	name=$1 query=$2
	shift 2
	printf '%s\n' "$@" >"$TMP/theirs"
	"$C" run --trace "$TMP/trace" --format csv --no-header "$query" >"$TMP/ours" 2>"$TMP/err" || cat "$TMP/err" >>"$TMP/ours"
	check "model_$name"
}
rows priorities 'sched:sched_switch | count by prev_prio, next_prio, prev.prio, next.prio' 95,120,95,120,3
rows states 'sched:sched_switch | count by prev_state' sleeping,3
rows on_cpu 'sched:sched_wakeup | print pid, p.on_cpu' 20,1 30,1 10,0
rows files 'syscall:read | print fd, path(file(fd))' 3,/a 4, 3,
