#!/bin/sh
# in SOURCE over TIME, and the tools' --in and --over: a command that sleeps shortly ten times and long
# in three processes, and one that reads little and much; and what `split` says of the same periods.
. tests/live/lib
needs_bpf live_over_offcputime live_over_offwaketime live_over_wakeuptime live_over_chaingraph live_over_profile \
	live_over_profile_none live_over_as_split live_over_in
naps='for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.001; done; sleep 1.2 & sleep 1.2 & sleep 1.2 & wait'
# Here and there the kernel tells no BPF program of a switch, so that who runs next has no end of its wait: one of
# the three may lack it.
for tool in 'offcputime --state 1' offwaketime wakeuptime chaingraph; do
	trace $tool --top 1000 --in 'syscall:nanosleep, syscall:clock_nanosleep' --over 1s -- sh -c "$naps"
	n=$(sum count comm=sleep) time=$(sum time comm=sleep)
	case $tool in wake* | offwake*) n=$(sum count target=sleep) time=$(sum time target=sleep) ;; esac
	case $tool in chaingraph) n=$(grep ',sleep,' "$OUT" | grep -vc preempted) ;; esac
	between "live_over_${tool%% *}" "$((status ? 0 : n))" 2 3
	[ "$tool" != offwaketime ] || between live_over_time "$time" 1100000000 60000000000
done

# Samples: 64 MB in one read, which takes longer than any of 4 KB.
trace profile -F 999 --in syscall:read --over 1ms --top 1000 -- \
	sh -c 'dd if=/dev/zero of=/dev/null bs=4k count=20000; dd if=/dev/zero of=/dev/null bs=256M count=1' 2>/dev/null
between live_over_profile "$(sum samples comm=dd)" 2 100000
trace profile -F 999 --in syscall:read --over 100s -- dd if=/dev/zero of=/dev/null bs=256M count=1
is live_over_profile_none "$status $(rows)" '0 0'

# The same by split, whose sums are kept in the call's own record.
off='(from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)'
trace run "def off = $off;
	off | in syscall:read over 5ms | count, total = sum(duration) by way = 1;
	syscall:read | split off | where duration >= 5ms | count = sum(off.count), total = sum(off.time) by way = 2" -- \
	sh -c '(for i in 1 2 3 4 5 6 7 8; do sleep 0.02; echo a; sleep 0.001; echo b; done) | while read -r x; do :; done'
is live_over_as_split "$(sum count way=1) $(sum total way=1)" "$(sum count way=2) $(sum total way=2)"
between live_over_in "$(sum count way=1)" 8 1000
trace offcputime --top 1000 -- sleep 0.01
between live_over_left_out "$(sum count comm=sleep)" 1 1000
is live_over_alone "$("$CULPRIT" explain offcputime --over 1ms 2>&1 | grep -c 'over what')" 1

# What finds no room is missing, and said to be.
trace run --table-size 2 "$off | in syscall:read over 5ms | count" -- \
	sh -c '(for i in 1 2 3 4 5 6 7 8; do sleep 0.02; echo a; done) | while read -r x; do :; done'
is live_over_dropped "$status $(($(counted dropped "'in .. over'") > 0))" '0 1'
