#!/bin/sh
# Wrong command lines and queries: status 2, nothing on standard output, one clear
# message, under the sanitisers. Needs no privilege.
C=${CULPRIT_SAN:-$CULPRIT}

# NAME, a word of the message, arguments
wrong() {
	name=$1 word=$2
	shift 2
	timeout 20 "$C" "$@" >"$TMP/out" 2>"$TMP/err"
	status=$?
	if [ $status = 2 ] && [ ! -s "$TMP/out" ] && head -n 1 "$TMP/err" | grep -q '^culprit: ' &&
		grep -qe "$word" "$TMP/err"; then
		echo "ok $name"
	else
		sed 's/^/# /' "$TMP/out" "$TMP/err"
		echo "not ok $name: status $status"
	fi
}

wrong unknown_command "there is no command or tool 'nosuch'" nosuch
wrong near_command "did you mean 'opensnoop'" opensnop
wrong query_as_command "culprit run" 'syscall:read | count'
wrong no_query 'the query is missing' run
wrong unknown_option 'no option --nosuch' syscount --nosuch
wrong near_option 'did you mean --interval' syscount --intervl 1
wrong unknown_letter 'no option -Z' syscount -Z
wrong missing_value '--top needs N' syscount --top
wrong missing_common_value '-d needs TIME' syscount -d
wrong option_for_a_value '--min needs TIME' runqslower --min -d 0.5
wrong command_for_a_value '--min needs TIME' runqslower --min -- true
wrong option_before_the_tool 'help: options stand behind the command or tool' -d 1 opensnoop
wrong tool_as_source 'help: runqlat is a tool: write culprit runqlat' run 'runqlat | hist(duration)'
wrong default_of_another_type "the default of 'n' is not of type int" run 'param n: int = "x"; syscall:read | top $n'
wrong default_of_another_unit "the default of 'n' is not of type duration" run 'param n: duration = 4KiB; syscall:read | count'
wrong column_of_columns 'help: make it one: | let r = b/a | top 5 by r' run 'syscall:read | a = count, b = sum(ret) by comm | top 5 by b / a'
wrong every_without_unit 'help: write the unit: 1s or 1ms' run 'syscall:read | count | every 1'
wrong value_for_flag 'takes no value' syscount --latency=1
wrong value_for_common_flag 'takes no value' syscount --cost=1
wrong bad_time 'write a time' syscount -d 0
wrong negative_time 'write a time' syscount -d -1
wrong bad_unit 'write a time' syscount -i 3parsec
wrong short_interval 'of 1ms or longer' syscount -i 1us
wrong no_interval 'of 1ms or longer' syscount -i 0
wrong demo_of_something 'demo takes no argument' demo nosuch
wrong bad_count 'a number above 0' syscount -i 1 -n 0
wrong bad_pid 'numbers up to 4194304' syscount -p 12,x
wrong pid_by_name 'for names use --comm' syscount -p bash
wrong count_by_name 'for names use --comm' opensnoop -n bash
# lines of articles about bcc's tools
wrong disk_as_time 'one disk is --disk NAME' biosnoop -d vda
wrong age_as_output 'is --older 10ms' memleak -o 10 60 1
wrong csv_of_bcc 'help: write --format csv' ext4slower -j
wrong times_of_bcc 'help: times are shown with their unit' funclatency -m vfs_read
wrong ports_of_bcc 'help: write --rport N' tcpconnect -P 80
wrong time_of_bcc 'the time of each row is -T' execsnoop -t
wrong time_of_bcc_with_another 'the time of each row is -T' tcpconnect -tp 181
wrong pid_as_source 'help: a process is -p PID' mysqld_qslower 1
wrong server_as_source "help: write the server's path" dbslower mysql
wrong lossprobe_of_bcc 'help: loss probes are not shown' tcpretrans -l
wrong folded_of_bcc 'are --format folded' offcputime -f 1
wrong screen_of_bcc 'no screen is cleared' filetop -C 1 1
wrong sorted_of_bcc 'are --top N' cachetop -s HITS
wrong wide_of_bcc 'never cut' tcplife -w
wrong addresses_of_bcc 'addresses of stacks are in --format json' trace -U -a futex
wrong probe_of_bcc "write culprit trace syscall:read.enter -f '[a-z0-9]* > 20000' -s '\"read %d bytes\", " \
	trace 'sys_read (arg3 > 20000) "read %d bytes", arg3'
wrong probe_of_bcc_return "write culprit trace 'do_sys_open().return' -s '\"returned: %d\", ret'" \
	trace 'r::do_sys_open "returned: %d", retval'
wrong probe_of_argdist 'write culprit argdist syscall:write.enter -C -e ' argdist -C 'p::sys_write(int fd, char *b):int:fd'
wrong tool_of_others '`ext4slower`' fsslower -t ext4
wrong tool_of_perf_tools '`biosnoop`' iosnoop
wrong system_call_of_perf 'help: write the call as a source: culprit trace syscall:openat' trace -e openat
wrong long_name '15 bytes' opensnoop --comm abcdefghijklmnop
wrong bad_rows 'a number from 1' syscount --table-size 0
wrong huge_rows 'a number from 1' syscount --table-size 99999999999
wrong bad_budget 'a percentage' syscount --budget 101
wrong bad_color 'auto, always or never' syscount --color blue
wrong bad_format 'formats: text json csv' syscount --format nosuch
wrong bad_ending 'there is no format png' syscount -o picture.png
wrong heat_svg 'a heat map is .html' run -o "$TMP/heat.svg" 'syscall:read | print duration'
wrong heat_svg_histogram 'FILE.html -i 1' run -o "$TMP/heat.svg" 'syscall:read | hist(duration)'
wrong heat_without_intervals 'needs intervals: -i 1' run -o "$TMP/heat.html" 'syscall:read | hist(duration)'
wrong bad_ending_trace 'there is no format perfetto' syscount -o picture.perfetto
wrong bad_user 'no such user' syscount --uid no_such_user
wrong long_name 'a thread.s name' syscount --comm "$(printf '%064d' 1)"
wrong bad_cpus 'write a list of CPUs' syscount --cpu 3-1
wrong cpu_that_is_not_there 'no CPU above' syscount --cpu 0,9999
wrong list_of_names 'comm in (' syscount --comm 'cat,dd'
wrong pid_left_out 'numbers up to 4194304' syscount -p 1,,2
wrong second_query 'with ; between them' run 'syscall:read | count' 'syscall:write | count'
wrong bad_cgroup 'is a cgroup' syscount --cgroup /nonexistent
wrong count_without_interval 'give their length' syscount -n 3
wrong two_queries 'one argument too many' run 'syscall:read' 1 2 3
wrong query_and_file 'a second query is given' run 'syscall:read' -f /dev/null
echo 'syscall:read | count' >"$TMP/mine.q"
wrong file_without_f 'any command takes it with -f' explain "$TMP/mine.q" -d 1
wrong param_without_type 'help: a parameter is written so: param min: duration' run 'param min: 10ms
	syscall:read | count'
wrong param_without_colon 'help: a parameter is written so: param min: duration' run 'param min = 10ms
	syscall:read | count'
wrong param_with_blank 'help: write the unit directly after a number' run 'param min: duration = 10 ms "least"
	syscall:read | count'
wrong no_file 'No such file' run -f /nonexistent
wrong is_folder 'Is a directory' run -f /
wrong no_command 'write a command after --' syscount --
wrong trace_command 'not work with --trace' syscount --trace somewhere -- true
wrong trace_duration 'not work with --trace' syscount --trace somewhere -d 1
wrong trace_cost 'not work with --trace' syscount --trace somewhere --cost
wrong begin_without_trace 'work only with a trace' run 'syscall:read' --begin 1
wrong children_of_whom 'write -p PID --children' syscount --children
wrong children_of_a_command 'works only with -p' syscount -p 1 --children -- true
wrong without_nothing 'no such feature' run 'syscall:read' --without nosuch
wrong bad_param_value "'FOO'" syscount -e FOO
wrong bad_dump 'letters of tavyfscmpb' explain -d x 'syscall:read'
wrong check_nothing 'needs a FILE, a QUERY' check
wrong letter_of_two_bytes 'microseconds: us' check 'syscall:read | where duration > 10µs | count'
wrong check_query "columns have commas between them" check 'syscall:read | print comm pid'
wrong no_source 'culprit funccount SOURCE: what to count' funccount -d 1
wrong check_no_option 'no option --nosuch' check --nosuch
wrong check_near_option 'did you mean --load' check --laod tools/execsnoop.q
wrong check_no_file 'No such file' check /nonexistent
wrong list_two 'one argument too many' list events a b
wrong list_nothing "nothing matches" list tools 'zz*'
wrong list_near 'did you mean `culprit list syscalls`' list syscals
wrong doctor_argument 'takes no argument' doctor now
wrong empty_query 'expected' run ''
wrong nul_free_garbage '' run "$(printf '\001\377|||')"
wrong usdt_none 'no static probes' run 'usdt:/bin/true:a:b | count'
wrong usdt_no_name 'write a colon and a probe' run 'usdt:/bin/true | count'
wrong list_probes_of_none 'has no static probes' list probes /bin/true

# As a compiler does: place, line, caret below the word.
cat >"$TMP/expected" <<'END'
culprit: query:1:16: no aggregation 'cont' [unknown-function]
  syscall:read | cont
                 ^~~~
help: did you mean 'count'?
END
"$C" run 'syscall:read | cont' >"$TMP/out" 2>&1
if [ $? = 2 ] && diff "$TMP/expected" "$TMP/out" >"$TMP/diff"; then
	echo "ok caret"
else
	sed 's/^/# /' "$TMP/diff"
	echo "not ok caret"
fi

# All mistakes in one go.
"$C" run 'syscall:read | where nosuch > 1 | cont' >"$TMP/out" 2>&1
[ "$(grep -c '^culprit: query:1:' "$TMP/out")" = 2 ] && echo "ok all_at_once" || {
	sed 's/^/# /' "$TMP/out"
	echo "not ok all_at_once"
}

# A closed standard output is no reason to crash.
"$C" list tools >&- 2>"$TMP/err"
[ $? -le 1 ] && echo "ok closed_stdout" || echo "not ok closed_stdout"

# Nothing of a command line programs the terminal that shows its error.
n=0
escape=$(printf 'no\033[2J')
for words in "$escape" "help $escape" "list $escape" "run -f $escape" "syscount --$escape" "syscount -d $escape"; do
	n=$((n + 1))
	# shellcheck disable=SC2086
	"$C" $words >"$TMP/out" 2>"$TMP/err"
	if [ -s "$TMP/err" ] && ! grep -q "$(printf '\033')" "$TMP/err"; then
		echo "ok escaped_$n"
	else
		echo "not ok escaped_$n"
	fi
done
