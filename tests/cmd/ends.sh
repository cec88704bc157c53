#!/bin/sh
# How a run ends: what was gathered is shown, the status is right, and no program,
# table or child is left. test: serial
C=$CULPRIT
work=$B/tests/work/work
why=$(timeout 20 "$C" run -d 0.1 'syscall:* | count' 2>&1 >/dev/null) || {
	echo "skip ends: $(echo "$why" | head -n 1)"
	exit 0
}
result() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		sed 's/^/# /' "$TMP/out" "$TMP/err" 2>/dev/null | head -n 20
		echo "not ok $1"
	fi
}

# BPF programs that are loaded now; with a moment for the kernel to free the last.
programs() { bpftool prog show 2>/dev/null | grep -c '^[0-9]'; }
none_left() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ "$(programs)" -le "$before" ] && return 0
		sleep 0.3
	done
	return 1
}
have_bpftool=
bpftool prog show >/dev/null 2>&1 && have_bpftool=1
before=$(programs)

# Runs in the background until a signal; the shell would let it ignore SIGINT.
begin() { # ARGUMENTS
	(trap - INT; exec env --default-signal=INT "$C" "$@" >"$TMP/out" 2>"$TMP/err") &
	pid=$!
	sleep 0.6
}

begin syscount --top 3
kill -INT $pid
wait $pid
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result ctrl_c_shows_and_is_0 $?

begin syscount --top 3
kill -TERM $pid
wait $pid
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result sigterm_shows_and_is_0 $?

# Nobody reads: the first Ctrl-C can't be answered, the second ends at once.
mkfifo "$TMP/fifo"
sleep 20 <"$TMP/fifo" &
reader=$!
(trap - INT; exec env --default-signal=INT "$C" opensnoop -o "$TMP/fifo" -- "$work" open 20000 \
	>/dev/null 2>"$TMP/err") &
pid=$!
sleep 1.5
kill -INT $pid
sleep 0.3
kill -INT $pid
sleep 0.3
! kill -0 $pid 2>/dev/null
result second_ctrl_c_ends_at_once $?
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
kill $reader 2>/dev/null
wait $reader 2>/dev/null

timeout 20 "$C" opensnoop -- "$work" open 2000 2>"$TMP/err" | head -n 2 >"$TMP/out"
[ "$(wc -l <"$TMP/out")" = 2 ] && ! grep -q . "$TMP/err"
result closed_pipe_is_quiet $?
(timeout 20 "$C" opensnoop -- "$work" open 2000 2>"$TMP/err"; echo $? >"$TMP/status") | true
[ "$(cat "$TMP/status")" = 0 ]
result closed_pipe_is_0 $?

timeout 20 "$C" opensnoop -- "$work" open 2000 >/dev/full 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write: No space left' "$TMP/err"
result full_disk $?
timeout 20 "$C" syscount -d 0.2 -o /dev/full >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write /dev/full: No space left' "$TMP/err"
result full_disk_of_output $?
(ulimit -f 0; exec timeout 20 "$C" run 'syscall:* | count' -d 0.1 -o "$TMP/limited.csv" 2>/dev/null)
[ $? = 1 ]
result file_size_limit $?
timeout 20 "$C" run 'syscall:* | count' -d 0.1 >&- 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write: Bad file' "$TMP/err"
result closed_output $?
timeout 20 "$C" run 'syscall:* | count' -d 0.1 -o "$TMP/closed.csv" <&- >&- 2>&- &&
	[ "$(wc -l <"$TMP/closed.csv")" = 2 ]
result all_closed $?
for n in 6 7 8 9 10 11; do
	sh -c "ulimit -n $n; exec timeout 20 \"\$@\"" - "$C" run 'syscall:read | count by comm' -d 0.1
done >"$TMP/err" 2>&1
grep -q 'cannot load .*: Too many open files' "$TMP/err" && ! grep -q verifier "$TMP/err"
result few_files $?
timeout 20 "$C" syscount -d 0.2 -o /nonexistent/file >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write /nonexistent/file: No such file' "$TMP/err"
result output_that_cannot_be_made $?

# The command: its end is the end, whatever it was; its own status is not ours.
timeout 20 "$C" syscount -- sh -c 'exit 7' >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result command_that_fails $?
timeout 20 "$C" syscount -- sh -c 'kill -9 $$' >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result command_that_is_killed $?
timeout 20 "$C" syscount -- /nonexistent/program >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot run /nonexistent/program: No such file' "$TMP/err"
result command_that_is_not_there $?
timeout 20 "$C" run 'syscall:getppid | count' -- "$work" getppid 1234 >"$TMP/out" 2>"$TMP/err"
grep -qx ' *1234' "$TMP/out"
result command_is_counted_from_its_first_instruction $?

# A command that still runs ends with the tracing; of a killed culprit, too.
timeout 20 "$C" syscount -d 0.5 -- sleep 4321 >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && ! pgrep -f '^sleep 4321$' >/dev/null
result command_ends_with_the_time $?
begin syscount -- sleep 4322
kill -KILL $pid
wait $pid 2>/dev/null
sleep 0.3
! pgrep -f '^sleep 4322$' >/dev/null
result command_ends_with_a_killed_culprit $?

start=$(date +%s%N)
timeout 20 "$C" syscount -d 500ms >"$TMP/out" 2>"$TMP/err"
took=$(($(date +%s%N) - start))
[ $took -ge 500000000 ] && [ $took -lt 3000000000 ]
result duration $?
timeout 20 "$C" run 'syscall:* | count' -i 0.2 -n 3 --no-header >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -c '[0-9]' "$TMP/out")" = 3 ]
result count_of_intervals $?
timeout 20 "$C" run 'syscall:* | count' 0.2 3 --no-header >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -c '[0-9]' "$TMP/out")" = 3 ]
result plain_interval_and_count $?
timeout 20 "$C" run 'syscall:openat | first 5 | print pid' -- "$work" open 3000 >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -cx '[0-9]*' "$TMP/out")" = 5 ]
result first_rows $?

# -o: the ending says the format; standard output stays empty.
for ending in json csv txt log; do
	timeout 20 "$C" syscount -d 0.2 -o "$TMP/file.$ending" >"$TMP/out" 2>"$TMP/err"
	status=$?
	case $ending in
	json) head -n 1 "$TMP/file.json" | grep -q '^{"schema"' ;;
	csv) head -n 1 "$TMP/file.csv" | grep -q '^.*event,count' ;;
	*) head -n 1 "$TMP/file.$ending" | grep -q '^EVENT  *COUNT' ;;
	esac && [ $status = 0 ] && [ ! -s "$TMP/out" ]
	result "output_$ending" $?
done
timeout 20 "$C" syscount -d 0.2 --format json >"$TMP/out" 2>"$TMP/err"
head -n 1 "$TMP/out" | grep -q '^{"schema"'
result format $?
timeout 20 "$C" syscount -d 0.2 --no-header >"$TMP/out" 2>"$TMP/err"
! grep -q EVENT "$TMP/out"
result no_header $?
timeout 20 "$C" syscount -d 0.2 --color always >"$TMP/out" 2>"$TMP/err"
grep -q "$(printf '\033')" "$TMP/out"
result color_always $?
timeout 20 "$C" syscount -d 0.2 >"$TMP/out" 2>"$TMP/err"
! grep -q "$(printf '\033')" "$TMP/out" "$TMP/err" && [ ! -s "$TMP/err" ]
result nothing_extra_in_a_pipe $?
timeout 20 "$C" syscount --cost -- "$work" getppid 1000 >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q sys_exit "$TMP/err"
result cost $?

if [ -n "$have_bpftool" ]; then
	none_left
	result nothing_is_left $?
else
	echo "skip nothing_is_left: no bpftool"
fi
