#!/bin/sh
# What culprit counts and times is what the program did.
# test: early
. tests/live/lib
# `make test`: an eighth of it.
[ -n "${ALL-}" ] || SCALE=$((SCALE * 8))
needs_bpf live_counts live_durations live_execs live_opens live_intervals

for threads in 1 2 8; do
	trace syscount -- "$W" getppid 100000 $threads
	is live_syscount_${threads}_threads "$status $(sum count event=getppid)" "0 100000"
	trace syscount --syscall 'getppi*' -- "$W" getppid 1000 $threads
	is live_syscount_of_${threads}_threads "$status $(rows) $(sum count event=getppid)" "0 1 1000"
done

# By the hash, with the begin kept, and both ends as events.
trace run 'syscall:getppid | count, sum(duration) by comm, event' -- "$W" getppid 100000 8
is live_count_by_comm "$(sum count comm=work event=getppid)" 100000
trace run 'syscall:getppid | count by tid' -- "$W" getppid 100000 8
is live_count_by_thread "$(rows) $(sum count)" "8 100000"
trace run 'syscall:getppid.enter | count' -- "$W" getppid 100000 2
is live_count_entries "$(sum count)" 100000
trace run 'syscall:getppid.return | count' -- "$W" getppid 100000 2
is live_count_returns "$(sum count)" 100000
trace run 'syscall:getppid, syscall:openat | count by event' -- "$W" getppid 100000
is live_count_union "$(sum count event=getppid)" 100000
trace run 'syscall:getppid | a = count where ret > 0, b = count where ret <= 0' -- "$W" getppid 10000
is live_count_where "$(sum a) $(sum b)" "10000 0"

# A `let` of 0 beside another operation.
trace run 'syscall:getppid | let a = 100, b = 0 | where a*b == b | count by v = a*b+b, w = ret*b+b' -- \
	"$W" getppid 10000
is live_let_of_0 "$status $(rows) $(sum count v=0 w=0)" "0 1 10000"
trace run 'syscall:getppid | let a = 100, b = 0 | sum(a*b+b)' -- "$W" getppid 1000
is live_let_of_0_sum "$status $(rows)" "0 1"

# The same whatever the kernel lacks, or, without the privilege to trace, a clear end.
# Without BTF the command's children cannot be followed.
for lack in $("$CULPRIT" list features | awk '$1 != "btf" { print $1 }'); do
	want="0 20000"
	[ "$lack" != cap_bpf ] && [ "$lack" != cap_perfmon ] || want="3 0"
	trace run --without "$lack" 'syscall:getppid | count, sum(duration) by comm, event | every 100ms' -- \
		"$W" getppid 20000 2
	is "live_count_without_$lack" "$status $(sum count)" "$want"
done

# Durations against the program's own clock.
trace run 'syscall:nanosleep | count, total = sum(duration), mean = avg(duration), least = min(duration)' \
	-- "$W" sleep "$(less 1000)" 10000000
own=$(calculate "$(said sleep 3) + 1")	# the mean, measured around the call
n=$(less 1000)
is live_sleep_count "$(sum count)" "$n"
between live_sleep_total "$(sum total)" $((n * 10000000)) $((n * own))
between live_sleep_mean "$(sum mean)" 10000000 "$own"
between live_sleep_least "$(sum least)" 10000000 "$own"

# Short processes: each is seen, by its own name, with its arguments.
mkdir "$TMP/bin"
n=$(less 2000)
trace execsnoop -- "$W" named "$n" "$TMP/bin/p"
cells comm | grep '^p[0-9]*$' | sort -u >"$TMP/seen"
seq 0 $((n - 1)) | sed 's/^/p/' | sort >"$TMP/made"
if cmp -s "$TMP/seen" "$TMP/made"; then
	ok live_execsnoop_names
else
	bad live_execsnoop_names "$(wc -l <"$TMP/seen") of $n names"
fi
is live_execsnoop_once "$(cells comm | grep -c '^p[0-9]*$')" "$n"
is live_execsnoop_arguments "$(cells args | grep -c '^[^ ]*/p[0-9]* nop 0$')" "$n"

# Opens as fast as they go: each is shown once, or counted as lost.
n=$(less 400000)
trace opensnoop -- "$W" paths "$n" "$TMP/none"
cells path | grep "^$TMP/none\." | sort >"$TMP/seen"
shown=$(wc -l <"$TMP/seen")
is live_opensnoop_no_duplicates "$(uniq -d "$TMP/seen" | wc -l)" 0
# Others of this process (its libraries) may be among the lost.
between live_opensnoop_shown_and_lost $((shown + $(loss lost))) "$n" $((n + 5))
rate=$(calculate "1e9 / $(said paths 3)")
echo "# $rate opens/s, $shown shown, $(loss lost) lost"

# Intervals: what all of them say together is what was done.
n=$(less 1200000)
for query in 'syscall:getppid | count' 'syscall:getppid | count by event' \
	'syscall:getppid | count, sum(duration) by comm, event' \
	'syscall:getppid | count by tid, cpu' 'syscall:getppid | count, hist(duration) by ret'; do
	trace run -i 0.02 "$query | every 1s" -- "$W" getppid "$n" 8
	is "live_intervals_$(echo "${query##*count}" | tr -cs 'a-z\n' _)" "$(sum count)" "$n"
done
# In intervals of their own, however quick the machine is.
trace run -i 0.02 'syscall:getppid | count by comm' -- \
	sh -c '"$0" getppid 10 && sleep 0.5 && "$0" getppid 10 && sleep 0.5 && "$0" getppid 10' "$W"
is live_intervals_many_sum "$(sum count comm=work)" 30
between live_intervals_many "$(rows comm=work)" 3 30
for key in '' ' by tid' ' by comm, event'; do
	trace run -i 0.05 --format json "syscall:getppid | hist(duration)$key" -- "$W" getppid "$n" 8
	is "live_intervals_buckets$(echo "$key" | tr -cs 'a-z\n' _)" "$(in_buckets)" "$n"
done
trace syscount -i 1 -- "$W" getppid "$n" 2
is live_intervals_syscount "$(sum count event=getppid)" "$n"
