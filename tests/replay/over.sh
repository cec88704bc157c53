#!/bin/sh
# in SOURCE over TIME over a trace: the waits inside of slow calls, as split counts them in each call.
. tests/replay/lib
[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/sched.tar.xz
off='def off = (from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)'
rows() { # QUERY
	"$C" run --trace "$TMP" --format csv --no-header "$off;
$1" 2>/dev/null
}
for call in poll futex epoll_wait read; do
	for over in 1us 1ms 10ms; do
		rows "off | in syscall:$call over $over | count, sum(duration)" >"$TMP/ours"
		rows "syscall:$call | split off | where duration >= $over | sum(off.count), sum(off.time)" >"$TMP/theirs"
		check "over_${call}_$over"
	done
done
rows 'off | in syscall:read | count' >"$TMP/theirs"
rows 'off | in syscall:read over 1ms | count' >"$TMP/ours"
if [ "$(cat "$TMP/ours")" -gt 0 ] && [ "$(cat "$TMP/ours")" -lt "$(cat "$TMP/theirs")" ]; then
	echo "ok over_leaves_out"
else
	echo "not ok over_leaves_out"
fi
