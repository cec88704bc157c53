#!/bin/sh
# How the ends of periods find each other: what the examples of the language show is what
# happened, and what one would write at first (naive) is not.
. tests/live/lib
needs_bpf live_offcpu live_wakeup live_keep live_union live_else

# Who wakes whom, and a sleeper by his own name (tests/live/times.sh has how often, and how long).
blocked='from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid'
waking="$blocked to sched:sched_waking on pid"
trace run "$waking | count by waker = end.current.comm, sleeper = begin.comm" -- "$W" pingpong 3000
between live_wakeuptime_wakes \
	$(($(sum count waker=work sleeper=pong) + $(sum count waker=pong sleeper=work))) 1 6020
is live_wakeuptime_not_itself $(($(sum count waker=work sleeper=work) + $(sum count waker=pong sleeper=pong))) 0
# The event's own comm is the sleeper's: nobody wakes himself.
trace run "$waking | count by waker = end.comm, sleeper = begin.comm" -- "$W" pingpong 3000
is live_wakeuptime_naive_wakes \
	$(($(sum count waker=work sleeper=pong) + $(sum count waker=pong sleeper=work))) 0
between live_wakeuptime_naive_wakes_itself \
	$(($(sum count waker=work sleeper=work) + $(sum count waker=pong sleeper=pong))) 1 6020
trace run "$blocked to sched:sched_switch on next_pid
	| count, least = min(duration) by comm = begin.prev_comm" -- "$W" sleep 3 100000000
between live_offcputime_blocked "$(sum count comm=work)" 1 100

# keep: a begin that comes while one is open.
program="i=0; while [ \$i -lt 3 ]; do $W sleep 2 50000000 >/dev/null; i=\$((i + 1)); done"
for keep in last first; do
	trace run "from syscall:nanosleep.enter to syscall:exit_group.enter keep $keep
		| count" -- sh -c "$program"
	is live_keep_${keep}_count "$(sum count)" 3
done
# The three begins that the one keeps are each a sleep behind those of the other.
trace run "table last = (from syscall:nanosleep.enter to syscall:exit_group.enter keep last | sum(duration)),
		first = (from syscall:nanosleep.enter to syscall:exit_group.enter keep first | sum(duration))
	| let sleeps = (first - last) / 50ms" -- sh -c "$program"
between live_keep_apart "$(sum sleeps)" 3 1000000
trace run -v 'from syscall:nanosleep.enter to syscall:exit_group.enter | count' -- sh -c "$program"
is live_restarted "$(loss restarted)" 3
is live_restarted_words "$(grep -c '^culprit: 3 begins of .* replaced one that was still open (restarted)$' "$ERR")" 1
# Ends that are attached later than begins, or detached before them, while a thread goes on, would
# leave begins that restart; the other way round ends that have none, which are no loss.
"$W" getppid 1000000000 1 >/dev/null &
busy=$!
counts=0 lost=
for i in 1 2 3 4 5 6 7 8 9 10; do
	trace run -v -p $busy 'syscall:getppid | count, sum(duration)' -d 0.1
	counts=$((counts + $(sum count))) lost="$lost$(grep -o '[0-9]* .*(restarted)' "$ERR")"
done
between live_detached_counts "$counts" 1 1000000000
is live_detached_restarted "$lost" ''
trace run -v --self 'from syscall:getppid.enter on tid to syscall:getppid.return on tid | count' -d 0.1
kill $busy
between live_attached_unmatched "$(loss unmatched)" 0 10

# One period with several begins and ends; a union; what is there of several.
trace run 'from (syscall:nanosleep.enter, syscall:getppid.enter)
		to (syscall:nanosleep.return, syscall:getppid.return) | count' -- \
	sh -c "$W sleep 10 1000; $W getppid 100"
between live_several_ends "$(sum count)" 110 111	# a shell may ask for its parent
trace run 'syscall:nanosleep, (from syscall:getppid.enter to syscall:getppid.return) | count' -- \
	sh -c "$W sleep 10 1000; $W getppid 100"
between live_union_of_kinds "$(sum count)" 110 111
trace run 'syscall:no_such_call else syscall:getppid | count' -- "$W" getppid 100
is live_else "$(sum count)" 100
trace run 'sched:no_such_event else sched:sched_process_exec | count by event' -- sh -c "$W nop 1; $W nop 1"
is live_else_tracepoint "$(sum count event=sched_process_exec)" 3

# Keys that are strings, and several keys.
trace run 'from syscall:openat.enter on (tid, str(filename)) to syscall:openat.return on (tid, str(filename))
	| count' -- "$W" paths 1000 "$TMP/none"
between live_string_keys "$(sum count)" 1000 1010
trace run 'from sched:sched_process_fork on child_pid to sched:sched_process_exit on pid
	| count, least = min(duration)' -- "$W" exec 50
between live_fork_to_exit "$(sum count)" 50 60

# Where in the end, which stays open when it does not hold.
trace run 'from syscall:nanosleep.enter to syscall:close.enter where fd == 1000005 | count' -- \
	sh -c "$W sleep 1 1000; $W keys 10"
is live_end_of_another_thread "$(sum count)" 0

# A join of tables, and table stages.
trace run 'table a = (syscall:getppid | where comm == "work" | n = count), b = (syscall:nanosleep | n = count)
	| let all = a + b, ratio = a / all' -- sh -c "$W sleep 10 1000; $W getppid 30"
is live_join "$(sum all) $(cells ratio)" "40 0.75"
trace run 'table a = (syscall:getppid | n = count, s = sum(ret) by comm), b = (syscall:nanosleep | count by comm)
	| let all = a.n + b' -- sh -c "$W sleep 10 1000; $W getppid 30"
is live_join_by_key "$(sum all comm=work)" 40
trace run 'syscall:getppid | count by tid | sort -count | top 3 by count | let part = share(count)' -- \
	"$W" getppid 80000 8
is live_table_stages "$(rows) $(sum count)" "3 30000"

# first, sample, let, print with a format, limit.
trace run 'syscall:getppid | first 7 | print time, tid, ret' -- "$W" getppid 1000
is live_first "$status $(rows)" "0 7"
trace run 'syscall:getppid | sample 10 | count' -- "$W" getppid 10000
is live_sample "$(sum count)" 1000
trace run 'syscall:close.enter | where fd >= 1000000 | let half = fd / 2, odd = fd % 2 | sum(half), sum(odd)' -- \
	"$W" keys 1000
is live_let "$(cells 'sum(half)') $(cells 'sum(odd)')" "500249500 500"
begin_s=$(date +%s)
trace run 'syscall:close.enter | where fd >= 1000000 | print fd limit 100/s' -- "$W" keys 10000
between live_limit "$(rows)" 100 $((100 * ($(date +%s) - begin_s + 2)))
