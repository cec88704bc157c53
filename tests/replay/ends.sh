#!/bin/sh
# A process of a trace ends with its last thread and that one's code, not with its first, which also
# ends when another thread execs.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 - "$TMP/trace" <<'PY' || echo "not ok ends_writer"
import sys

sys.path.insert(0, "tests/ctf")
from writer import metadata, packet, write

EVENTS = [("sched_switch", "string prev_comm; i32 prev_tid; i32 prev_prio; u64 prev_state; "
           "string next_comm; i32 next_tid; i32 next_prio;"),
          ("sched_process_fork", "string parent_comm; i32 parent_tid; i32 parent_pid; "
           "string child_comm; i32 child_tid; i32 child_pid;"),
          ("sched_process_exec", "string filename; i32 tid; i32 old_tid;"),
          ("sched_process_exit", "string comm; i32 tid; i32 prio;"),
          ("syscall_entry_exit_group", "i32 error_code;")]
MORE = "".join("typealias integer { size = %s; align = 8; signed = %s; } := %s;\n" % row for row in (
    (32, "true", "i32"), (32, "false", "u32"), (64, "true", "i64"), (64, "false", "u64")))
MORE += "".join('event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (name, i + 1, fields)
                for i, (name, fields) in enumerate(EVENTS))
events = []


def add(id, *values):
    def put(p):
        for value in values:
            if isinstance(value, str):
                p.bytes(value.encode() + b"\0")
            else:
                p.int(value[0] if isinstance(value, tuple) else value, 64 if isinstance(value, tuple) else 32)
    events.append((id, 10 * len(events) + 10, put))


def switch(prev, next):
    add(1, "work", prev, 20, (1,), "work", next, 20)


def fork(parent, child, process):
    add(2, "work", parent, parent, "work", child, process)


def ends(tid):
    add(4, "work", tid, 20)


switch(0, 10)
fork(10, 20, 20)
fork(20, 21, 20)
ends(20)
switch(10, 21)
add(5, 3)           # exit_group(3) of what is left
ends(21)
fork(10, 30, 30)
fork(30, 31, 30)
ends(30)            # an exec of 31 ends it
add(3, "/bin/work", 30, 31)
switch(21, 30)
add(5, 7)
ends(30)
fork(10, 20, 20)    # the number once more
switch(30, 20)
add(5, 1)
ends(20)
write(sys.argv[1], {"metadata": metadata(30, more=MORE),
                    "chan_0": packet(30, False, 0, 0, 0, 9999, events)})
PY
printf '20,21,3\n30,30,7\n20,20,1\n' >"$TMP/theirs"
"$C" exitsnoop --trace "$TMP/trace" --format csv --no-header 2>"$TMP/err" | cut -d, -f3,5,7 >"$TMP/ours"
check ends_processes
"$C" exitsnoop --threads --trace "$TMP/trace" --format csv --no-header 2>"$TMP/err" | cut -d, -f3,5 | wc -l >"$TMP/ours"
echo 5 >"$TMP/theirs"
check ends_threads
