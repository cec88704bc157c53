#!/bin/sh
# --begin: what the state dump told is known, and -p selects by the owner, as it does live: of a
# wake-up whoever is woken. Over a trace without contexts. And ranges that cannot be.
. tests/replay/lib
command -v python3 >/dev/null || skip "no python3 (package python3)"
python3 tests/replay/dump.py "$TMP/dump" || echo "not ok dump_writer"

# NAME WANT ARGUMENT...: the rows as CSV, one line
rows() {
	name=$1
	echo "$2" >"$TMP/theirs"
	shift 2
	"$C" run --trace "$TMP/dump" --format csv --no-header "$@" 2>&1 | paste -sd' ' >"$TMP/ours"
	check "$name"
}
read='syscall:read | print pid, tid, ppid, comm, path(file(fd))'
rows dump_whole '40,42,1,worker,/var/db/orders' "$read"
rows dump_before_begin '40,42,1,worker,/var/db/orders' "$read" --begin 1000.000000850
wakes='sched:sched_wakeup | print pid, current.pid'
rows owner_none '50,40 42,50 40,50 99,50' "$wakes"
rows owner_process '42,50 40,50' "$wakes" -p 40
rows owner_thread '42,50' "$wakes" -t 42
rows owner_name '42,50' "$wakes" --comm 'work*'
rows owner_begin '42,50 40,50' "$wakes" -p 40 --begin 1000.000000850
rows owner_running '50,40' 'sched:sched_wakeup | where current.pid == 40 | print pid, current.pid'
rows owner_of_switch '42,50' 'sched:sched_switch | print prev_pid, next_pid' -p 40
rows owner_of_keyed '10' 'from sched:sched_switch where next_pid != 0 on next_pid
	to sched:sched_switch where prev_pid != 0 on prev_pid | print duration' -p 40

# NAME TEXT ARGUMENT...: the first line of what is said
says() {
	name=$1
	echo "culprit: $2" >"$TMP/theirs"
	shift 2
	"$C" run --trace "$TMP/dump" "$@" 2>&1 >"$TMP/out" | head -n 1 >"$TMP/ours"
	check "$name"
}
says uid_not_told "--uid does not work: uid is not in this trace: no event has it as a context (lttng add-context --type uid, of programs vuid)" \
	"$wakes" --uid 0
says range_turned '--end 1000.5 is before --begin 1001.0' '*' --begin 1001.0 --end 1000.5
says range_before '--end 999.0: the trace begins at 1000.000000017' '*' --end 999.0
says range_behind 'the trace has no event from --begin 2000.0 on' '*' --begin 2000.0
says range_behind_query 'the trace has no event from --begin 2000.0 to --end 2001.0' \
	'sched_switch | count' --begin 2000.0 --end 2001.0
says functions_live 'query:1:1: a recorded trace holds no calls of kernel functions: this one describes 8 kinds of events, those of 1 system calls among them [unable]' \
	'vfs_read() | count'
# A time may be seconds without a fraction, or nanoseconds; a second trace is not dropped.
says range_in_seconds 'the trace has no event from --begin 2000 to --end 2001' '*' --begin 2000 --end 2001
"$C" run --trace "$TMP/dump" '* | count' --no-header --end 1001 >"$TMP/ours"
"$C" run --trace "$TMP/dump" '* | count' --no-header --end 1001000000000 >"$TMP/theirs"
check range_in_nanoseconds
says one_trace "--trace $TMP: one is given already; traces below one folder are read together" \
	'*' --trace "$TMP"

# A time of the day is local, as print time shows it; with a Z it is UTC, whatever is local.
all=$("$C" run --trace "$TMP/dump" '* | count' --no-header --end 1001)
[ -n "$all" ] || echo "not ok range_all"
for times in '01:16:39 01:16:41' '1970-01-01T01:16:39.5 1970-01-01T01:16:41.5' '00:16:39Z 00:16:41.25Z' \
	'1970-01-01T00:16:39Z 01:16:41'; do
	echo "$times $all" >>"$TMP/theirs_times"
	echo "$times $(TZ=CET-1 "$C" run --trace "$TMP/dump" '* | count' --no-header --begin "${times% *}" \
		--end "${times#* }")" >>"$TMP/ours_times"
done
mv "$TMP/theirs_times" "$TMP/theirs"
mv "$TMP/ours_times" "$TMP/ours"
check range_in_local_time
says range_no_time '--begin 12:00:00.5x: this is not a time' '*' --begin 12:00:00.5x
