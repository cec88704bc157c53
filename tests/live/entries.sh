#!/bin/sh
# System calls that are not like others: seccomp denies them, a signal breaks them, or they are of 32
# bits.
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
	is live_entries_denied_timed_$lack "$(sum count) $(counted denied)" "200 100"
done
trace run 'syscall:getppid, syscall:rt_sigreturn | count, sum(duration) by event' -- "$E" trapped 100
is live_entries_trapped "$(sum count event=getppid) $(counted denied)" "100 100"
trace run 'syscall:rt_sigreturn | count' -- "$E" trapped 100
is live_entries_sigreturn "$(sum count)" 100
trace run 'syscall:getuid | count, sum(duration)' -- "$E" denied 100
is live_entries_others_denied "$(sum count) $(counted denied)" "100 0"

# ---- the child of a fork returns from what it did not call ----
for query in count 'count, max(duration)'; do
	trace run -v "syscall:fork, syscall:vfork, syscall:clone, syscall:clone3 | $query" -- "$(dirname "$E")/calls" fork 10
	is "live_entries_forks_$(echo "$query" | tr -dc a-z)" "$(sum count) $(counted unmatched)" "10 0"
done
trace run 'syscall:fork.return, syscall:clone.return, syscall:clone3.return | count' -- "$(dirname "$E")/calls" fork 10
is live_entries_forks_return "$(sum count)" 10

# ---- a thread that execs gets the number of its process, which does not end ----
trace run 'syscall:execve | where ret == 0 | count by comm, first = pid as s64 == tid as s64' -- "$E" moved 1
is live_entries_moved "$(sum count comm=culprit first=true) $(sum count comm=entries first=false)" "1 1"
trace run 'syscall:* | where event == "execve" | open | print tid' -- "$E" moved 1
is live_entries_moved_open "$status $(rows)" "0 0"
trace exitsnoop -- "$E" moved 1
is live_entries_moved_is_no_end "$(rows)" 1
trace exitsnoop -- "$E" outlived 1
is live_entries_outlived "$(rows) $(rows code=3 signal=0)" "1 1"

# ---- what a signal interrupts has the kernel's own error, the program sees EINTR ----
trace run 'syscall:read | where ret < 0 | count by e = errno(ret), same = ret == -ERESTARTSYS' -- "$E" broken 20
is live_entries_broken "$(rows) $(sum count e=ERESTARTSYS same=true)" "1 20"

# ---- the kernel takes the lower half of the register for the number ----
if [ "$(uname -m)" = x86_64 ]; then
	for lack in none tp_btf; do
		options="--without $lack"
		[ $lack != none ] || options=
		for query in 'syscall:getppid | count by event' 'syscall:getppid | count, sum(duration) by event' \
			'syscall:* | where event == "getppid" | count by event' \
			'raw_syscalls:sys_exit | where id == 110 | count by id'; do
			trace run $options "$query" -- "$E" upper 100
			is "live_entries_upper_${lack}_$(echo "$query" | tr -dc a-z_)" "$(sum count)" 100
		done
	done
fi

# ---- a number that no call has is no 32-bit call (600 is 512 and i386_reboot's) ----
for query in 'syscall:i386_reboot | count by event' 'syscall:* | count by event'; do
	trace run "$query" -- "$E" unknown 100
	name=live_entries_unknown_$(echo "${query%% |*}" | tr -dc a-z)
	is "$name" "$status $(sum count event=i386_reboot)" "0 0"
	is "${name}_is" "$(sum count event=rt_sigreturn) $(sum count event='(unknown)')" \
		"0 $(case $query in *i386*) echo 0 ;; *) echo 300 ;; esac)"
done

# ---- calls of 32 bits: int $0x80, and programs ----
# getpid, exit(0)
small_program() {
	printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000\001\000\000\000T\200'
	printf '\004\0104\000\000\000\000\000\000\000\000\000\000\0004\000\040\000\001\000\000\000\000\000'
	printf '\000\000\001\000\000\000\000\000\000\000\000\200\004\010\000\200\004\010d\000\000\000d\000'
	printf '\000\000\005\000\000\000\000\020\000\000\270\024\000\000\000\315\200\270\001\000\000\0001'
	printf '\333\315\200'
}
# execve("/bin/true", 0, 0)
back_program() {
	printf '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000\001\000\000\000T\200'
	printf '\004\0104\000\000\000\000\000\000\000\000\000\000\0004\000\040\000\001\000\000\000\000\000'
	printf '\000\000\001\000\000\000\000\000\000\000\000\200\004\010\000\200\004\010p\000\000\000p\000'
	printf '\000\000\005\000\000\000\000\020\000\000\270\013\000\000\000\273f\200\004\0101\3111\322\315'
	printf '\200\220\220/bin/true\000'
}
small_program >"$TMP/small"
back_program >"$TMP/back"
chmod 755 "$TMP/small" "$TMP/back"
"$TMP/small" 2>/dev/null || { echo 'skip live_entries_i386: no 32-bit programs here'; exit 0; }

for lack in none tp_btf; do
	options="--without $lack"
	[ $lack != none ] || options=
	for query in 'count by event' 'count, max(duration) by event'; do
		trace run $options "syscall:* | $query" -- "$E" i386 100
		is "live_entries_int80_${lack}_$(echo "$query" | tr -dc a-z)" \
			"$(sum count event=i386_getpid) $(sum count event=writev)" "100 0"
	done
done
trace run 'syscall:writev | count' -- "$E" i386 100
is live_entries_int80_is_no_writev "$(sum count)" 0
trace run 'syscall:getpid, syscall:i386_getpid | count by event' -- "$E" i386 100
is live_entries_int80_few "$(sum count event=i386_getpid)" 100
trace run 'syscall:i386_getpid | count, threads = distinct(comm), wrong = count where ret != pid' -- \
	sh -c "cd '$TMP'; ./small; ./small; ./small"
is live_entries_program "$(sum count) $(sum wrong)" "3 0"
# The end of execve is in the ABI of the new program.
trace run 'syscall:execve | where ret == 0 | count, max(duration) by f = str(filename)' -- \
	sh -c "cd '$TMP'; ./small; ./back; ./small; ./back; ./small; true"
is live_entries_exec "$(sum count f=./small) $(sum count f=./back) $(sum count f=/bin/true)" "3 2 2"
