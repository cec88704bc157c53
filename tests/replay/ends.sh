#!/bin/sh
# A process of a trace ends with its last thread and that one's code, not with its first, which also
# ends when another thread execs.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 - "$TMP/trace" <<'PY' || echo "not ok ends_writer"
import sys

sys.path.insert(0, "tests/replay")
from events import Events
from writer import metadata, packet, write

events = Events("sched_switch", "sched_process_fork", "sched_process_exec", "sched_process_exit",
                syscall_entry_exit_group="i32 error_code;")
told = []


def tell(name, *values):
    told.append(events.at(10 * len(told) + 10, name, *values))


def switch(prev, next):
    tell("sched_switch", "work", prev, 20, 1, "work", next, 20)


def fork(parent, child, process):
    tell("sched_process_fork", "work", parent, parent, "work", child, process)


def ends(tid):
    tell("sched_process_exit", "work", tid, 20)


switch(0, 10)
fork(10, 20, 20)
fork(20, 21, 20)
ends(20)
switch(10, 21)
tell("syscall_entry_exit_group", 3)           # exit_group(3) of what is left
ends(21)
fork(10, 30, 30)
fork(30, 31, 30)
ends(30)            # an exec of 31 ends it
tell("sched_process_exec", "/bin/work", 30, 31)
switch(21, 30)
tell("syscall_entry_exit_group", 7)
ends(30)
fork(10, 20, 20)    # the number once more
switch(30, 20)
tell("syscall_entry_exit_group", 1)
ends(20)
write(sys.argv[1], {"metadata": metadata(30, more=events.metadata()),
                    "chan_0": packet(30, False, 0, 0, 0, 9999, told)})
PY
printf '20,21,3\n30,30,7\n20,20,1\n' >"$TMP/theirs"
"$C" exitsnoop --trace "$TMP/trace" --format csv --no-header 2>"$TMP/err" | cut -d, -f3,5,7 >"$TMP/ours"
check ends_processes
"$C" exitsnoop --threads --trace "$TMP/trace" --format csv --no-header 2>"$TMP/err" | cut -d, -f3,5 | wc -l >"$TMP/ours"
echo 5 >"$TMP/theirs"
check ends_threads
