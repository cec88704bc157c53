#!/bin/sh
# explain says what was chosen, and the choice is the cheap one.
. tests/live/lib
needs_bpf live_explain
status=0 last=

# NAME, a text that explain prints, options and query
says() {
	name=$1 text=$2
	shift 2
	last="culprit explain $*"
	"$CULPRIT" explain "$@" >"$OUT" 2>"$ERR"
	status=$?
	if [ $status = 0 ] && grep -qE "$text" "$OUT"; then
		ok "live_explain_$name"
	else
		bad "live_explain_$name" "no '$text'"
	fi
}

says small_key 'rows, an array' 'syscall:* | count by event'
says other_key 'rows, a hash' 'syscall:* | count by pid'
says stacks_by_tables 'tables made of its .eh_frame' 'cpu@99hz | count by stack'
says stacks_by_pointers '^    its frame pointers$' --without unwind_tables 'cpu@99hz | count by stack'
says no_begin 'begins: not kept' 'syscall:* | count by event'
says one_program '^  raw_syscalls:sys_exit' 'syscall:* | count by event'
is live_explain_one_program_only "$(grep -c '^  raw_syscalls' "$OUT")" 1
# what only other calls need (execve's number, rt_sigreturn's) is not in it
is live_explain_only_its_number "$("$CULPRIT" explain -db 'syscall:read | count' |
	grep -cE '== -0x1|!= -0x1|0x166| 685')" 0
says thread 'begins: task storage' 'syscall:* | sum(duration) by event'
says handed_task 'begins: task storage' 'from sched:sched_wakeup on pid to sched:sched_switch on next_pid | count'
says value 'begins: hash' 'from block:block_rq_issue to block:block_rq_complete on rq | count'
says cpu 'begins: per-CPU array' 'from irq:irq_handler_entry to irq:irq_handler_exit on cpu | count'
says slab 'begins: hash' 'from kmem:kmalloc to kmem:kfree | count'
says btf 'sched:sched_switch: BTF tracepoint' 'sched:sched_switch | count by prev_state'
says perf 'sched:sched_switch: perf tracepoint' --without tp_btf 'sched:sched_switch | count by prev_state'
says no_storage 'begins: hash' --without task_storage 'syscall:read | sum(duration)'
says perf_only 'block:block_rq_issue: perf tracepoint' 'block:block_rq_issue | count by rwbs'
says memory 'together +[1-9][0-9.]* [KMG]iB' 'syscall:close.enter | count by fd'
says memory_of_large 'together +[1-9][0-9.]* GiB' --table-size 20000000 'syscall:close.enter | count by fd, comm'
says rows 'at most 10240 rows, a hash' 'syscall:close.enter | count by comm, fd'
says rows_of_an_interval 'at most 5120 rows, a hash' 'syscall:close.enter | count by comm, fd | every 1s'
says rows_of_an_asked_interval 'at most 5120 rows, a hash' -i 1 'syscall:close.enter | count by comm, fd'
says rows_as_asked 'at most 7000 rows, a hash' --table-size 7000 'syscall:close.enter | count by comm, fd | every 1s'
says query_text '; .*\| +count' -d b 'syscall:read | count'
says stacks '16 bytes in rows, keys and begins' 'syscall:read | count by ustack'

# A kept comm is whole: its end tests for nothing. What is counted twice is counted by a function.
code() { "$CULPRIT" explain -db 'syscall:read | count by begin.comm' 2>/dev/null; }
absent=3e746e657362613c		# "<absent>"
is explain_whole_comm "$(code | grep -c $absent)" 0
is explain_count_function "$(code | awk '
	/^program/ { calls = looks = 0 }
	/: call pc/ { calls++ }
	/: r1 = map counters$/ && ++looks > 1 { wrong = 1 }
	calls > 1 { seen = 1 }
	END { print seen && !wrong }')" 1

# A column is no parameter, though read has one of its name: the calls stay one class, and what
# rt_sigreturn returns stays none.
programs() { "$CULPRIT" explain -db "$@" 2>/dev/null | grep -E '^ +[0-9]+:'; }
for rows in '' '| where ret < 0'; do
	one=$(programs "syscall:* $rows | count by event") two=$(programs "syscall:* $rows | count by event | top 10 by count")
	[ -n "$one" ] && [ "$(echo "$one" | sed 's/!= [0-9]*//; s/0x[0-9a-f]*/N/')" = "$(echo "$two" | sed 's/!= [0-9]*//; s/0x[0-9a-f]*/N/')" ]
	is "live_explain_one_class_of_calls$(echo "$rows" | tr -dc a-z)" $? 0
done
