#!/bin/sh
# What hangs already when culprit starts: a process that has waited in flock(2) since before.
. tests/live/lib
needs_bpf live_before_slow live_before_count live_before_wait live_before_others live_before_ended

flock "$TMP/lock" sleep 60 &
holder=$!
until ! flock -n "$TMP/lock" true 2>"$ERR"; do sleep 0.01; done
flock "$TMP/lock" true &
hung=$!
until grep -q '^73 \|^32 ' "/proc/$hung/syscall"; do sleep 0.01; done	# x86, arm: it is in flock

# said: the line that names it, with its least age.
said() {
	sed -n "s/^culprit: \([0-9]*\) threads have waited since before the start, for more than [0-9.]* m*s: flock ($hung) in flock at [a-z].* (began before)\$/\1/p" "$ERR"
}
"$CULPRIT" slow syscall:flock -d 0.1 >"$DID" 2>"$ERR"
is live_before_slow "$? $(grep -c " flock ($hung) in flock at .*(began before)\$" "$ERR")" "0 1"
for tool in 'syscount -L' syscallstats; do
	"$CULPRIT" $tool -d 0.1 -p "$hung" >"$DID" 2>"$ERR"
	said
done >"$TMP/said"
is live_before_count "$(echo $(cat "$TMP/said"))" "1 1"
for tool in offcputime schedstats chaingraph; do
	"$CULPRIT" "$tool" -d 0.1 -p "$hung" >"$DID" 2>"$ERR"
	said
done >"$TMP/said"
is live_before_wait "$(echo $(cat "$TMP/said"))" "1 1 1"
# Another call, another process, what waits for a CPU only: nobody is said.
for args in 'slow syscall:fsync' 'slow syscall:flock -p 1' "runqlat -p $hung"; do
	"$CULPRIT" $args -d 0.1 >"$DID" 2>"$ERR"
	echo "$? $(counted 'began before')"
done >"$TMP/said"
is live_before_others "$(echo $(cat "$TMP/said"))" "0 0 0 0 0 0"
# It ends during the run: it waits no more.
trace_begin slow syscall:flock -p "$hung"
kill "$(cat "/proc/$holder/task/$holder/children")" 2>"$DID"
wait "$holder" "$hung" 2>"$DID"
traced
is live_before_ended "$status $(counted 'began before')" "0 0"
