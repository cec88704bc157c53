#!/bin/sh
# What hangs already when culprit starts: a process that has waited in flock(2) since before.
. tests/live/lib
needs_bpf live_before_slow live_before_count live_before_wait live_before_others live_before_open \
	live_before_open_where live_before_open_sum live_before_ended live_before_open_ended live_before_quiet live_before_children \
	live_before_ends_usual live_before_ends_all

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
# Rows of `open`: with what /proc tells, at least as old as the run; what it does not tell is none.
trace run "syscall:flock | open older 50ms | print tid, pid, ppid, comm, event, uid, cgroup, duration" -d 0.1 --comm 'fl*'
is live_before_open "$status $(sed -n "s/^\($hung,$hung,$$,flock,flock,$(id -u),\),>= [0-9]*\$/\1/p" "$OUT")" \
	"0 $hung,$hung,$$,flock,flock,$(id -u),"
for where in "pid == $hung && tid == $hung && comm ~ \"flo*\"" "pid == $hung && fd < 0" "pid == $hung && cgroup != 0" \
	"pid == $hung && !(cgroup == 0)" "tid != $hung"; do
	trace run "syscall:f* | where $where | open | count by tid" -d 0.1
	echo "$(rows tid="$hung")"
done >"$TMP/found"
is live_before_open_where "$(echo $(cat "$TMP/found"))" "1 0 0 1 0"
trace run "syscall:* | open older 50ms | count, least = min(duration) by event, pid" -d 0.1 -p "$hung"
is live_before_open_sum "$status $(rows) $(sum count event=flock) $(($(sum least) >= 50000000))" "0 1 1 1"
# -q says nothing of it.
"$CULPRIT" slow syscall:flock -d 0.1 -q -p "$hung" >"$DID" 2>"$ERR"
is live_before_quiet "$? $(cat "$ERR")" "0 "
# --children selects the process itself, too.
trace run "syscall:flock | open | count by tid" -d 0.1 -p "$hung" --children
is live_before_children "$status $(rows tid="$hung") $(counted 'began before')" "0 1 1"
# It ends during the run: it waits no more.
trace_begin slow syscall:flock -p "$hung"
"$CULPRIT" run -v 'syscall:flock | open | print tid' --format csv >"$TMP/open" 2>"$TMP/open.err" &
opener=$!
attached "$opener" "$TMP/open.err"
kill "$(cat "/proc/$holder/task/$holder/children")" 2>"$DID"
wait "$holder" "$hung" 2>"$DID"
traced
is live_before_ended "$status $(counted 'began before')" "0 0"
kill -INT "$opener"
wait "$opener"
is live_before_open_ended "$? $(grep -c "^$hung\$" "$TMP/open")" "0 0"

# An end whose begin was before the start is usual: said with -v only.
for v in '' -v; do
	sleep 0.3 &
	napper=$!
	until grep -q '^230 \|^115 ' "/proc/$napper/syscall"; do sleep 0.01; done
	"$CULPRIT" run $v "from syscall:clock_nanosleep.enter on (pid, tid) to syscall:clock_nanosleep.return
		where pid == $napper on (pid, tid) | count" -d 0.5 >"$DID" 2>"$ERR"
	is live_before_ends_$([ "$v" ] && echo all || echo usual) "$? $(counted unmatched)" "0 $([ "$v" ] && echo 1 || echo 0)"
	wait "$napper"
done
