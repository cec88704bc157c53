#!/bin/sh
# Events of a trace are missing between a call's entry and a return: it may be another call's,
# and what the entry told is none, whatever else is asked. So is a return that does not tell its call.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 - "$TMP/trace" <<'PY' || echo "not ok gaps_writer"
import sys

sys.path.insert(0, "tests/ctf")
from writer import metadata, packet, write

EVENTS = [("sched_switch", "string prev_comm; i32 prev_tid; i32 prev_prio; u64 prev_state; "
           "string next_comm; i32 next_tid; i32 next_prio;"),
          ("syscall_entry_read", "u32 fd; u64 count;"), ("syscall_exit_read", "i64 ret;"),
          ("syscall_entry_poll", "i32 timeout_msecs;"), ("syscall_exit_poll", "i64 ret;"),
          ("syscall_exit_unknown", "u32 id; i64 ret;")]
MORE = "".join("typealias integer { size = %s; align = 8; signed = %s; } := %s;\n" % row for row in (
    (32, "true", "i32"), (32, "false", "u32"), (64, "true", "i64"), (64, "false", "u64")))
MORE += "".join('event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (name, i + 1, fields)
                for i, (name, fields) in enumerate(EVENTS))


def runs(p):
    p.bytes(b"idle\0")
    for value, bits in ((0, 32), (20, 32), (1, 64)):
        p.int(value, bits)
    p.bytes(b"shop\0")
    p.int(40, 32)
    p.int(20, 32)


def enters(p):
    p.int(7, 32)
    p.int(100, 64)


def returns(p):
    p.int(100, 64)


def returns_of_none(p):
    """No call has the number."""
    p.int(1 << 20, 32)
    p.int(100, 64)


first = packet(30, False, 0, 0, 0, 99, [(1, 10, runs), (2, 20, enters), (3, 30, returns), (2, 40, enters)])
second = packet(30, False, 0, 1, 100, 199, [(3, 110, returns), (2, 120, enters), (6, 130, returns_of_none)],
                discarded=1)
write(sys.argv[1], {"metadata": metadata(30, more=MORE), "chan_0": first + second})
PY
printf 'read,,1\nread,7,1\n' >"$TMP/theirs"
for sources in syscall:read syscall:read,syscall:poll syscall:poll,syscall:read; do
	"$C" run --trace "$TMP/trace" --format csv --no-header "$sources | count by event, fd" 2>"$TMP/err" | sort >"$TMP/ours"
	grep -q 'lost' "$TMP/err" || echo 'no loss' >>"$TMP/ours"
	check "gaps: $sources"
done
