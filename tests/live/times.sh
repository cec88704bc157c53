#!/bin/sh
# Times against a program's own: they are so only where the machine does little else.
# test: matrix serial
. tests/live/lib
needs_bpf live_runqlat live_offcpu live_wakeup live_cpudist live_profile

# Two threads want one CPU: the kernel takes it from them about 250 times a second, and
# they wait for it. Their own count of that is what runqlat must have.
trace run 'from (sched:sched_wakeup on pid, sched:sched_wakeup_new on pid,
		sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid)
		to sched:sched_switch on next_pid
	| waits = count, waited = sum(duration), longest = max(duration) by comm = end.next_comm' \
	-- "$W" compete 1000 0
forced=$(said switches 2)
# Besides: the thread that is new, what is before and behind of the program's count; who is
# woken while he waits waits once.
between live_runqlat_counts_preempted "$(sum waits comm=work)" $((forced * 95 / 100)) $((forced + 12))
# Each waits while the other runs, or somebody else.
waited=$(said waited 2)
between live_runqlat_times_preempted "$(sum waited comm=work)" "$(calculate "$waited * 0.93")" \
	"$(calculate "$waited * 1.07")"
trace run 'from (sched:sched_wakeup on pid, sched:sched_wakeup_new on pid)
		to sched:sched_switch on next_pid
	| waits = count by comm = end.next_comm' -- "$W" compete 1000 0
between live_runqlat_naive_sees_none "$(sum waits comm=work)" 0 $((forced / 4))
trace runqlat -P --format json -- "$W" compete 1000 0
forced=$(said switches 2)
between live_runqlat_tool "$(in_buckets)" $((forced * 95 / 100)) $((forced + 24))

# Off the CPU: their wall time less what they used of it.
offcpu='from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid'
trace run "$offcpu | total = sum(duration) by comm = begin.prev_comm" -- "$W" compete 1000 0
waited=$(said waited 3)
between live_offcputime "$(sum total comm=work)" "$(calculate "$waited * 0.93")" \
	"$(calculate "$waited * 1.07")"
# Without `on` both ends are the thread that leaves: that is from leaving to leaving again.
trace run 'from sched:sched_switch where prev_pid != 0 to sched:sched_switch
	| total = sum(duration) by comm = begin.prev_comm' -- "$W" compete 1000 0
between live_offcputime_naive_has_all "$(sum total comm=work)" \
	"$(calculate "2 * 950 * $(said compete 3)")" "$(calculate "2 * 1100 * $(said compete 3)")"

# Blocked only: sleeps, by the program's clock.
blocked='from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid'
trace run "$blocked to sched:sched_switch on next_pid
	| count, total = sum(duration) by comm = begin.prev_comm" -- "$W" sleep 100 10000000
own=$(said sleep 3)
# Of a busy machine's switches 6.18 tells one in a hundred neither us nor its own trace.
between live_offcputime_blocked_count "$(sum count comm=work)" 95 110
between live_offcputime_blocked_total "$(sum total comm=work)" "$(calculate "$own * 90")" \
	"$(calculate "$own * 107")"
trace run "$blocked to sched:sched_switch on next_pid | count by comm = begin.prev_comm" \
	-- "$W" compete 1000 0
between live_offcputime_blocked_not_preempted "$(sum count comm=work)" 0 20

# Who wakes whom: the two take turns, unless a byte is there before it is waited for.
waking="$blocked to sched:sched_waking on pid"
trace run "$waking | count by waker = end.current.comm, sleeper = begin.comm" -- "$W" pingpong 3000
between live_wakeuptime_each \
	$(($(sum count waker=work sleeper=pong) + $(sum count waker=pong sleeper=work))) 3000 6020
trace run "$waking | count by waker = end.comm, sleeper = begin.comm" -- "$W" pingpong 3000
between live_wakeuptime_naive_each \
	$(($(sum count waker=work sleeper=work) + $(sum count waker=pong sleeper=pong))) 3000 6020
trace chaingraph -W --top 1000 -- "$B/tests/work/wake" relay 100
between live_chaingraph_each "$(grep ',hop5,' "$OUT" | sort -t, -k5 -n | tail -n 1 | cut -d, -f5)" 50 100

trace chaingraph -KS --top 1000 -- "$W" pingpong 300
is live_chaingraph_stack "$(grep 'pipe_read.*pipe_write' "$OUT" | grep -c ',\(pong\|work\),' | sed 's/[1-9][0-9]*/some/')" some

# The time asked for is the time taken.
begin_ms=$(date +%s%3N)
trace syscount -d 500ms
between live_duration_ms $(($(date +%s%3N) - begin_ms)) 500 3000

# The tools: stacks off the CPU, and samples of CPU 0.
trace offcputime -L -- "$W" compete "$(less 1000)" 0
waited=$(said waited 3)
between live_offcputime_tool "$(sum time comm=work)" "$(calculate "$waited * 0.98")" \
	"$(calculate "$waited * 1.02")"
trace runqslower 0 --comm work -- "$W" compete 1000 0
waited=$(said waited 2)
between live_runqslower_tool "$(sum latency)" "$(calculate "$waited * 0.9")" "$(calculate "$waited * 1.1")"
trace cputop -i 60 -- "$W" compete 1000 0
used=$(said used 2)
between live_cputop_tool "$(sum oncpu comm=work)" "$(calculate "$used * 0.9")" "$(calculate "$used * 1.1")"

# A process that changes its name is one, and a share is of the time of the interval.
trace cputop -i 60 -d 1 -- sh -c 'sleep 0.1; echo pid $$; exec "$0" spin 1000000' "$W"
burnt=$(sed -n 's/^pid //p' "$DID")
is live_cputop_name "$(rows pid="$burnt") $(cells comm pid="$burnt")" "1 work"
between live_cputop_percent "$(calculate "$(sum percent pid="$burnt") * 10000000")" \
	"$(calculate "$(sum oncpu pid="$burnt") * 0.3")" "$(calculate "$(sum oncpu pid="$burnt") * 1.1")"
trace cputop -C -i 60 -d 1
between live_cputop_cpus "$(rows)" 1 "$(nproc --all)"

# One thread burns CPU 0: its samples are its time, as the kernel accounts it (`times`, children), however much of
# the CPU others have.
burn='taskset -c 0 "$0" spin 2000; times'
ticks() { awk -F '[ ms]+' '/^[0-9]+m/ { t = 60 * ($1 + $3) + $2 + $4 } END { printf "%.0f", 100 * t }' "$DID"; }
trace profile -P -F 99 -C --top 1000 -- sh -c "$burn" "$W"
# An emulated machine has no time of its own to compare with.
[ "$SCALE" != 1 ] || between live_profile_time "$(sum samples cpu=0 comm=work)" $(($(ticks) * 75 / 100)) $(($(ticks) * 125 / 100 + 5))
trace profile -P -F 99 -U -- sh -c "$burn" "$W"
[ "$SCALE" != 1 ] || between live_profile_user "$(sum samples comm=work)" $(($(ticks) * 70 / 100)) $(($(ticks) * 125 / 100 + 5))
# All samples of a busy CPU are so many a second.
taskset -c 0 "$W" spin 30000 >/dev/null &
burner=$!
most() { calculate "$1 * ($(awk '{ print $1 }' /proc/uptime) - $begun) + 1"; }	# a busy machine is late to end it
begun=$(awk '{ print $1 }' /proc/uptime)
trace profile -P -F 99 -C -d 2 --top 1000
[ "$SCALE" != 1 ] || between live_profile_rate "$(sum samples cpu=0)" 178 "$(most 99)"
is live_profile_share "$(calculate "100 * ($(cells share | paste -s -d + -))")" 100
begun=$(awk '{ print $1 }' /proc/uptime)
trace profile -P -F 99 -K -d 1 -p $burner
[ "$SCALE" != 1 ] || between live_profile_kernel "$(sum samples)" 0 "$(most 20)"
kill $burner
begun=$(awk '{ print $1 }' /proc/uptime)
trace profile -P -I -d 1 --cpu 0 --top 1000
between live_profile_idle "$(sum samples)" 30 "$(most 60)"

# A program that begins while it is traced, of which the shares are known. In an emulated
# machine many samples are late.
if [ "$SCALE" = 1 ]; then
	calls=${CALLS:-$B/tests/work/calls}
	"$CULPRIT" profile -F 1999 --format folded -- "$calls" shares 40000 >"$TMP/folded" 2>"$ERR"
	share() { # FRAME: of the program's samples
		awk -v frame="$1" '/;calls;/ { n += $NF; if (index($0, ";" frame ";") || index($0, ";" frame " ")) has += $NF }
			END { printf "%.1f", n ? 100 * has / n : 0 }' "$TMP/folded"
	}
	last='culprit profile -F 1999 -- calls shares' OUT=$TMP/folded
	between live_profile_begun "$(share main)" 90 100
	between live_profile_shares_tenth "$(share tenth)" 7 13
	between live_profile_shares_fifth "$(share fifth)" 17 23
	between live_profile_shares_most "$(share most)" 67 73
	OUT=$TMP/out.csv
fi

# Times on and off the CPU, of two that share one.
trace run 'from sched:sched_switch where next_pid != 0 on next_pid to sched:sched_switch on prev_pid
	| total = sum(duration), longest = max(duration) by comm = end.prev_comm' -- "$W" compete 1000 0
on=$(said used 2)
between live_cpudist_on "$(sum total comm=work)" "$(calculate "$on * 0.93")" "$(calculate "$on * 1.07")"

# On one CPU.
trace cpuwalk --format json -- "$W" compete 1000 0
is live_cpuwalk_one "$(tr '{' '\n' <"$OUT" | sed -n 's/.*"lo":\([0-9]*\),.*/\1/p')" 0

# While one of the two runs, the other waits.
trace runqlen -O -C -- "$W" compete 1000 0
between live_runqlen_occupancy "$(cells occupancy cpu=0)" 0.7 1
