#!/bin/sh
# list, explain, check, doctor and demo; of each tool: each_tool.sh. test: serial
C=$CULPRIT
S=${CULPRIT_SAN:-$CULPRIT}
result() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		sed 's/^/# /' "$TMP/out" "$TMP/err" 2>/dev/null | head -n 20
		echo "not ok $1"
	fi
}

"$S" list tools >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -c '^  [a-z]' "$TMP/out")" = "$(ls tools/*.q | wc -l)" ]
result list_tools $?
"$S" list views >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q '^json' "$TMP/out"
result list_views $?
"$S" list features -v >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q '^task_storage' "$TMP/out" && grep -q without: "$TMP/out"
result list_features $?
"$S" list syscalls -v 'read' >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -qx 'syscall:read' "$TMP/out" && grep -q 'field *fd' "$TMP/out"
result list_syscalls $?
"$S" list events 'sched:sched_swi*' -v >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -qx 'sched:sched_switch' "$TMP/out" && grep -q 'prev_state *enum' "$TMP/out" &&
	grep -q 'argument *next *pointer (task_struct)' "$TMP/out"
result list_events_both_forms $?
"$S" list functions 'vfs_r*' >"$TMP/out" 2>"$TMP/err"
status=$?	# 2: less privilege shows none
privileged=$status
[ $status = 2 ] || { [ $status = 0 ] && grep -qx 'vfs_read()' "$TMP/out"; }
result list_functions $?
"$S" list functions >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && [ ! -s "$TMP/out" ] &&
	{ [ $privileged = 2 ] || grep -qx 'culprit: there are [1-9][0-9]* functions: name some of them' "$TMP/err"; }
result list_functions_which $?
"$S" list probes >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && grep -q 'list probes /usr/bin/python3' "$TMP/err"
result list_probes_of_what $?
# A program is found as a shell does, and a folder of its name is none.
mkdir -p "$TMP/bin"
cp /bin/true "$TMP/bin/python3"
PATH=$TMP/bin:$PATH "$S" list probes python3 >"$TMP/out" 2>&1
[ $? = 2 ] && grep -qF "$TMP/bin/python3 has no static probes" "$TMP/out"
result list_probes_in_path $?
"$S" list probes libstdc++.so.6 -v >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -qx 'usdt:libstdc++.so.6:libstdcxx:throw' "$TMP/out" && grep -q 'argument *arg1 ' "$TMP/out"
result list_probes $?

query='from block:block_rq_issue to block:block_rq_complete on rq | where duration > 1ms | count, hist(duration) by begin.dev'
"$S" explain "$query" >"$TMP/out" 2>"$TMP/err"
status=$?
for word in block_rq_issue 'BTF tracepoint' 'hash table' 'why:' 'together' 'in the kernel: count'; do
	grep -q "$word" "$TMP/out" || { echo "# no '$word'"; status=1; }
done
result explain $status
for letter in t a y f s c m p b; do
	"$S" explain -d $letter "$query" >"$TMP/out" 2>"$TMP/err"
	[ $? = 0 ] && [ -s "$TMP/out" ]
	result explain_dump_$letter $?
done
"$S" explain -db "$query" | grep -q 'exit'
result explain_dump_in_one_word $?
[ "$("$S" explain runqslower --min 3ms -d v)" = 'min = 3ms' ]
result explain_dump_v $?
[ "$("$S" explain profile -U -K 2>&1 | grep -c never-true)" = 1 ] &&
	[ "$("$S" explain offcputime -m 5ms -M 1ms 2>&1 | grep -c never-true)" = 1 ] &&
	"$S" explain offcputime -m 1ms -M 1ms >"$TMP/out" 2>&1 && ! grep never-true "$TMP/out"
result options_that_no_row_meets $?

# A query file by its name.
cat >"$TMP/own.q" <<'END'
# reads that took long
#
# One line for each.
param min m: duration = 1ms "slower than this only"
syscall:read | where duration > $min | first 1 | print comm, duration
END
cp "$TMP/own.q" "$TMP/own"
n=0
for file in ./own.q own.q ./own "$TMP/own"; do
	n=$((n + 1))
	(cd "$TMP" && "$C" "$file" --help) >"$TMP/out" 2>"$TMP/err"
	[ $? = 0 ] && grep -q "^culprit $file \[OPTIONS\]" "$TMP/out" && grep -q '^reads that took long$' "$TMP/out" &&
		grep -q '^  -m, --min TIME  *slower than this only (1ms)$' "$TMP/out"
	result file_help_$n $?
done
"$S" run -f "$TMP/own" --help | grep -q -- '--min TIME'
result file_help_of_run $?
"$S" "$TMP/own.q" --mn 5ms >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && grep -q 'did you mean --min?' "$TMP/err"
result file_option_misspelled $?
"$S" "$TMP/own.q" --min nosuch >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && grep -q "'nosuch' is not of type duration" "$TMP/err"
result file_option_taken $?
"$S" "$TMP/nosuch.q" >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && grep -q 'cannot read .*nosuch.q: No such file' "$TMP/err"
result file_that_is_not_there $?

printf '# a tool\nparam pid p: pid "clashes"\nsyscall:read | count\n' >"$TMP/clash.q"
"$S" check "$TMP/clash.q" >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q 'wins over the parameter pid' "$TMP/err"
result check_reports_a_clash $?
"$C" explain -f "$TMP/clash.q" >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q 'wins over the parameter pid' "$TMP/err"
result other_commands_report_a_clash $?
"$S" list tracepoint process_exec >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -qx 'sched:sched_process_exec' "$TMP/out"
result list_takes_a_part_of_a_name $?
printf 'param bad x: flag "wrong when given"\nsyscall:read | count, sum(nosuch) if $bad\n' >"$TMP/given.q"
"$S" check "$TMP/given.q" >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && grep -q 'when --bad is given' "$TMP/err"
result check_what_is_there_only_when_given $?

"$S" doctor >"$TMP/out" 2>"$TMP/err"
status=$?
{ [ $status = 0 ] || [ $status = 3 ]; } && head -1 "$TMP/out" | grep -qE 'functions can be|those of the kernel cannot|nothing can be'
result doctor $?
: >"$TMP/empty"
unshare -m sh -c 'mount --bind "$2" /sys/kernel/btf/vmlinux && "$1" doctor' sh "$S" "$TMP/empty" 2>/dev/null |
	grep -q '^ *no *btf '
result doctor_empty_types $?
for f in cap_bpf btf tp_btf task_storage tracefs; do
	grep -q " $f " "$TMP/out"
	result "doctor_tells_$f" $?
done

# What is said is of the rows: the first of them is what is called the most.
demo_says_what_it_shows() {
	first=$(sed -n '/^EVENT /{n;s/ .*//p;q}' "$TMP/out")
	[ -n "$first" ] && tr '\n' ' ' <"$TMP/out" | grep -qF "The most is in $first" || return 1
	last=$(sed -n '/^PID /,/^$/{/^[0-9]/p}' "$TMP/out" | tail -n 1 | awk '{ print $2 ", " $3 " sample" }')
	[ -z "$last" ] || tr '\n' ' ' <"$TMP/out" | grep -qF "is the last: $last"
}
"$S" demo --without cap_bpf >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q '^clock_nanosleep *20 ' "$TMP/out" && grep -q '^openat *600 ' "$TMP/out" &&
	[ "$(grep -c 'prices.conf *ENOENT *200' "$TMP/out")" = 3 ]
result demo_over_made_events $?
demo_says_what_it_shows
result demo_says_what_it_shows $?
if timeout 20 "$C" run -d 0.1 'syscall:* | count' >/dev/null 2>&1; then
	timeout 60 "$C" demo >"$TMP/out" 2>"$TMP/err"
	[ $? = 0 ] && grep -q '^clock_nanosleep *20 ' "$TMP/out" && grep -q slow-shop "$TMP/out" &&
		[ "$(grep -c 'prices.conf *ENOENT *200' "$TMP/out")" = 3 ]
	result demo_live $?
	demo_says_what_it_shows
	result demo_live_says_what_it_shows $?
else
	echo "skip demo_live: nothing can be traced here"
fi

# What some sources lack is said, once a name.
"$S" explain 'syscall:read, syscall:openat | where fd == 3 || flags == 0 | count by fd, flags' \
	>"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -c ' is none in ' "$TMP/out")" = 2 ] &&
	grep -q '^ *fd is none in openat$' "$TMP/out" && grep -q '^ *flags is none in read$' "$TMP/out"
result explain_nones $?

printf 'param number: int "a number"\nsyscall:read | where ret > $number | count\n' >"$TMP/number.q"
"$S" explain -f "$TMP/number.q" --number 99999999999999999999 >"$TMP/out" 2>"$TMP/err"
[ $? = 2 ] && grep -q 'param-value' "$TMP/err"
result explain_param_too_large $?

# What was forced off is not used, or is missed with the status for it.
if timeout 20 "$C" run -d 0.1 'syscall:* | count' >/dev/null 2>&1; then
	for case in 'cap_bpf syscall:read | count' 'ringbuf syscall:read | print pid' \
		'cpu_clock cpu@99hz | count'; do
		timeout 20 "$C" run -d 0.1 --without ${case%% *} "${case#* }" >"$TMP/out" 2>"$TMP/err"
		[ $? = 3 ] && grep -q "^culprit: without ${case%% *}: " "$TMP/err"
		result "without_${case%% *}" $?
	done
	timeout 20 "$C" run --without percpu_hash --without membarrier_global \
		'syscall:getppid | count by comm' -- "$B/tests/work/work" getppid 1000 >"$TMP/out" 2>"$TMP/err"
	[ $? = 0 ] && grep -qx 'work *1000' "$TMP/out"
	result without_fast_tables $?
else
	echo "skip without: nothing can be traced here"
fi

# A thread is no process: -p of it would count nothing.
python3 -c 'import threading, time
t = threading.Thread(target=time.sleep, args=(30,), daemon=True)
t.start()
print(t.native_id, flush=True)
time.sleep(30)' >"$TMP/tid" &
process=$!
while [ ! -s "$TMP/tid" ] && kill -0 $process; do sleep 0.1; done
tid=$(cat "$TMP/tid")
"$S" run -p "$tid" 'syscall:read | count' -d 0.1 >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -qx "culprit: -p $tid: this is a thread of process $process" "$TMP/err" &&
	grep -q "^help: write -t $tid " "$TMP/err"
result thread_for_a_process $?
kill $process
