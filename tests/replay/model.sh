#!/bin/sh
# What a made trace tells only together: priorities, who runs where, and files of a thread whose
# number is used again or whose call's entry is missing.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 - "$TMP/trace" <<'PY' || echo "not ok model_writer"
import sys

sys.path.insert(0, "tests/replay")
from events import Events
from writer import metadata, packet, write

events = Events("sched_switch", "sched_process_fork", "sched_wakeup", "syscall_entry_read", "syscall_exit_read",
                syscall_entry_openat="i32 dfd; string filename; i32 flags;", syscall_exit_openat="i32 ret;")
told = [[], []]     # of each CPU


def tell(name, *values, cpu=0):
    told[cpu].append(events.at(10 * sum(map(len, told)) + 10, name, *values))


def switch(cpu, prev, next):
    tell("sched_switch", "work", prev, -5, 1, "work", next, 20, cpu=cpu)


def fork(child):
    tell("sched_process_fork", "work", 10, 10, "work", child, child)


def opens(fd):
    tell("syscall_entry_openat", -100, "/a", 0)
    tell("syscall_exit_openat", fd)


def reads(fd):
    tell("syscall_entry_read", fd, 1)
    tell("syscall_exit_read", 1)


switch(0, 0, 10)
fork(20)
fork(30)
switch(0, 10, 20)
switch(1, 0, 30)
for tid in 20, 30, 10:
    tell("sched_wakeup", "work", tid, 20, 0)
opens(3)
tell("syscall_exit_openat", 4)     # its entry is missing
reads(3)
reads(4)
fork(20)            # the number once more
reads(3)
write(sys.argv[1], {"metadata": metadata(30, more=events.metadata()), "chan_0": packet(30, False, 0, 0, 0, 9999, told[0]),
                    "chan_1": packet(30, False, 1, 0, 0, 9999, told[1], cpu=1)})
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
