#!/bin/sh
# Events of a trace are missing between a call's entry and a return: it may be another call's,
# and what the entry told is none, whatever else is asked. So is a return that does not tell its call.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 - "$TMP/trace" <<'PY' || echo "not ok gaps_writer"
import sys

sys.path.insert(0, "tests/replay")
from events import Events
from writer import metadata, packet, write

events = Events("sched_switch", "syscall_entry_read", "syscall_exit_read", syscall_entry_poll="i32 timeout_msecs;",
                syscall_exit_poll="i64 ret;", syscall_exit_unknown="u32 id; i64 ret;")

first = packet(30, False, 0, 0, 0, 99, [
    events.at(10, "sched_switch", "idle", 0, 20, 1, "shop", 40, 20), events.at(20, "syscall_entry_read", 7, 100),
    events.at(30, "syscall_exit_read", 100), events.at(40, "syscall_entry_read", 7, 100)])
second = packet(30, False, 0, 1, 100, 199, [
    events.at(110, "syscall_exit_read", 100), events.at(120, "syscall_entry_read", 7, 100),
    events.at(130, "syscall_exit_unknown", 1 << 20, 100)], discarded=1)     # no call has the number
write(sys.argv[1], {"metadata": metadata(30, more=events.metadata()), "chan_0": first + second})
PY
printf 'read,,1\nread,7,1\n' >"$TMP/theirs"
for sources in syscall:read syscall:read,syscall:poll syscall:poll,syscall:read; do
	"$C" run --trace "$TMP/trace" --format csv --no-header "$sources | count by event, fd" 2>"$TMP/err" | sort >"$TMP/ours"
	grep -q 'lost' "$TMP/err" || echo 'no loss' >>"$TMP/ours"
	check "gaps: $sources"
done
