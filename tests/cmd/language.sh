#!/bin/sh
# The language as the binary teaches it: each row of its tables with a text and an example,
# and each example compiles without a word. What one source is, on this machine. Needs the
# kernel's events and types, and no privilege beyond that.
C=${CULPRIT_SAN:-$CULPRIT}
result() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		sed 's/^/# /' "$TMP/out" | head -n 20
		echo "not ok $1"
	fi
}

# Parts whose rows have examples, and queries of them, a file for each.
parts='sources periods stages aggregations functions fields operators parameters'
n=0
for part in $parts; do
	"$C" help "$part" >"$TMP/out" 2>&1
	status=$?
	rows=$(sed '1,2d; /^$/,$d' "$TMP/out" | grep -c '^  [^ ]')
	examples=$(sed '1,2d; /^$/,$d' "$TMP/out" | grep -c '^      [^ ]')
	[ $status = 0 ] && [ "$rows" -gt 5 ] && [ "$rows" = "$examples" ]
	result "help_$part" $?
	sed -n 's/^      //p' "$TMP/out" >>"$TMP/examples"
	"$C" help language | grep -q "^  culprit help $part  *[^ ]"
	result "language_names_$part" $?
done
"$C" help language >"$TMP/out"
[ "$(sed -n "s/^      culprit run '\(.*\)'$/\1/p" "$TMP/out" | tee -a "$TMP/examples" | wc -l)" = 5 ]
result five_first_queries $?
tail -n 5 "$TMP/examples" | while IFS= read -r query; do
	grep -qxF -e "$query" docs/language.md || { echo "$query" >"$TMP/out"; exit 1; }
done
result the_lesson_has_them $?

# What a source's help shows is a query, too.
sources="syscall:read syscall:openat.enter syscall:openat.return sched:sched_switch sched:sched_wakeup
	sched:sched_process_exec block:block_rq_issue tcp:tcp_retransmit_skb irq:softirq_entry
	signal:signal_generate cpu@99hz libc.so:malloc() libc.so:getenv().return usdt:libstdc++.so.6:libstdcxx:throw"
for source in $sources 'every 1s'; do
	"$C" help "$source" >"$TMP/out" 2>&1
	[ $? = 0 ] && [ "$(sed -n "s/^    culprit run '\(.*\)'$/\1/p" "$TMP/out" | tee -a "$TMP/examples" | wc -l)" = 2 ]
	result "help_of_$source" $?
done

# One file for each query, all in one command.
n=0
while IFS= read -r query; do
	n=$((n + 1))
	printf '%s\n' "$query" >"$TMP/$(printf 'q%03d' $n)"
done <"$TMP/examples"
"$C" check "$TMP"/q[0-9]* >"$TMP/right" 2>"$TMP/out"
if grep -q 'cannot trace its functions' "$TMP/out"; then
	unable=$(grep -l '^vfs_read()' "$TMP"/q[0-9]*)
	n=$((n - $(echo "$unable" | wc -l)))
	"$C" check $(ls "$TMP"/q[0-9]* | grep -vxF "$unable") >"$TMP/right" 2>"$TMP/out"
fi
[ "$n" -gt 100 ] && [ ! -s "$TMP/out" ] && [ "$(wc -l <"$TMP/right")" = $n ]
result each_example_compiles $?

"$C" help syscall:read >"$TMP/out" 2>&1
grep -q '^    field  *fd  *integer' "$TMP/out" && grep -q '^    field  *count  *size' "$TMP/out" &&
	grep -q '^    returns  *ret ' "$TMP/out" && grep -q '`duration`' "$TMP/out"
result what_a_call_has $?
"$C" help sched:sched_switch >"$TMP/out" 2>&1
grep -q '^    field  *prev_state  *enum' "$TMP/out" && grep -q '^    argument  *next  *pointer (task_struct)' "$TMP/out" &&
	grep -q 'select by `prev`' "$TMP/out"
result what_an_event_has $?
"$C" help irq:softirq_entry >"$TMP/out" 2>&1
grep -q 'whoever was interrupted' "$TMP/out"
result what_an_interrupt_lacks $?
"$C" help 'syscall:open*' >"$TMP/out" 2>&1
grep -q '^  open .*openat2' "$TMP/out"
result names_of_a_pattern $?

# A word of it: all rows of that name.
for word in hist p99.9 where from str comm '<<' percentiles; do
	"$CULPRIT" help "$word" >"$TMP/out" 2>&1
	[ $? = 0 ] && grep -q '^      more: culprit help ' "$TMP/out"
	result "help_of_$word" $?
done
"$CULPRIT" help min >"$TMP/out" 2>&1
[ "$(grep -c 'more: culprit help' "$TMP/out")" = 2 ]
result help_of_a_word_with_two_meanings $?
"$CULPRIT" help latency >"$TMP/out" 2>&1
[ $? = 0 ] && grep -q '^  culprit biolatency  *disk' "$TMP/out"
result help_names_the_tools_about_a_word $?
"$CULPRIT" help histogram >"$TMP/out" 2>&1
[ $? = 0 ] && grep -q '^  culprit help hist  ' "$TMP/out"
result help_names_the_words_about_a_word $?
"$CULPRIT" help culprit >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q 'no help for' "$TMP/out"
result help_of_a_word_that_each_line_begins_with $?
"$CULPRIT" help hits >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q 'did you mean `culprit help hist`' "$TMP/out"
result help_misspelled $?
"$CULPRIT" help syscall:raed >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q "did you mean 'syscall:read'" "$TMP/out"
result help_of_a_source_misspelled $?
"$CULPRIT" help 'syscall:read | count' >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q 'culprit explain' "$TMP/out"
result help_of_a_query $?

# Counters: what each means for the answer.
"$CULPRIT" help losses >"$TMP/out" 2>&1
status=$?
for name in restarted abandoned dropped missed cut 'too deep' denied; do
	grep -q "^  $name  .*[a-z]\{4\}" "$TMP/out" || { echo "no $name"; status=1; }
done
[ "$(grep -c '^  [a-z]' "$TMP/out")" = "$(grep -c '^LOSS(' src/table/loss.def)" ] || status=1
result help_losses $status
"$CULPRIT" help restarted | grep -q 'makes no row'
result help_of_a_counter $?

# Messages: each tag has its help.
"$CULPRIT" help messages >"$TMP/out" 2>&1
[ "$(grep -c '^  [a-z-]*  .*[a-z]\{4\}' "$TMP/out")" = "$(grep -c '^DIAG(' src/lang/diag.def)" ]
result help_messages $?
"$CULPRIT" help no-owner | grep -q 'split state needs a thread'
result help_of_a_message $?

"$C" run --help >"$TMP/out" 2>&1
[ "$(grep -c "^      culprit run '" "$TMP/out")" = 5 ] && grep -q 'culprit help language' "$TMP/out"
result run_help_leads_on $?
