#!/bin/sh
# System calls that are not entered like others: seccomp denies them.
. tests/live/lib
needs_bpf live_entries
E=$(cd "$B" && pwd)/tests/work/entries

# ---- a call that seccomp denies has a return without an entry ----
for lack in none task_storage; do
	options="--without $lack"
	[ $lack != none ] || options=
	trace run $options 'syscall:getppid, syscall:getuid | count by event' -- "$E" denied 100
	is live_entries_denied_count_$lack "$(sum count event=getppid) $(sum count event=getuid) $(counted denied)" \
		"100 100 0"
	trace run $options 'syscall:getppid, syscall:getuid | count, sum(duration) by event' -- "$E" denied 100
	is live_entries_denied_timed_$lack "$(sum count) $(counted denied)" "100 100"
done
trace run 'syscall:getuid | count, sum(duration)' -- "$E" denied 100
is live_entries_others_denied "$(sum count) $(counted denied)" "100 0"
