#!/bin/sh
# How a run ends: what was gathered is shown, the status is right, and no program,
# table or child is left.
C=$CULPRIT
work=$B/tests/work/work
why=$(timeout 200 "$C" run -d 0.1 'syscall:* | count' 2>&1 >/dev/null) || {
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

# Runs in the background until a signal; the shell would let it ignore SIGINT.
begin() { # COMMAND ARGUMENTS
	command=$1
	shift
	: >"$TMP/err"
	(trap - INT; exec env --default-signal=INT "$C" "$command" -v "$@" >"$TMP/out" 2>"$TMP/err") &
	pid=$!
	until grep -q '^culprit: tracing; ' "$TMP/err" || ! kill -0 $pid; do sleep 0.1; done
}
gone() { # PID: when it has ended, for which there is a minute
	for _ in $(seq 600); do
		[ -e "/proc/$1" ] || return 0
		case $(cat "/proc/$1/stat" 2>/dev/null) in *') Z '*) return 0 ;; esac
		sleep 0.1
	done
	return 1
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

# A shell that ends sends a second one, systemd one behind its SIGTERM.
begin syscount --top 3 -o "$TMP/hangup.csv"
kill -HUP $pid
kill -HUP $pid 2>/dev/null
wait $pid
[ $? = 0 ] && grep -q '^[a-z0-9_]*,[0-9]*$' "$TMP/hangup.csv"
result sighup_writes_and_is_0 $?
: >"$TMP/err"
(trap '' HUP; exec "$C" syscount -v --top 3 >"$TMP/out" 2>"$TMP/err") &
pid=$!
until grep -q '^culprit: tracing; ' "$TMP/err" || ! kill -0 $pid; do sleep 0.1; done
kill -HUP $pid
grep -q '^SigIgn:.*[13579bdf]$' /proc/$pid/status
result nohup_is_kept $?
kill -TERM $pid
wait $pid
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result nohup_ends_by_sigterm $?

# Nobody reads: the first Ctrl-C can't be answered, the second ends at once.
mkfifo "$TMP/fifo"
sleep 600 <"$TMP/fifo" &
reader=$!
(trap - INT; exec env --default-signal=INT "$C" opensnoop -o "$TMP/fifo" -- "$work" open 20000 \
	>/dev/null 2>"$TMP/err") &
pid=$!
until grep -q pipe_write /proc/$pid/wchan || ! kill -0 $pid; do sleep 0.1; done
kill -INT $pid
while grep -q '^S[a-z]*Pnd:.*[2367abef]$' /proc/$pid/status; do sleep 0.1; done
kill -0 $pid
result first_ctrl_c_waits $?
kill -INT $pid
gone $pid
result second_ctrl_c_ends_at_once $?
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
kill $reader 2>/dev/null
wait $reader 2>/dev/null

timeout 200 "$C" opensnoop -- "$work" open 2000 2>"$TMP/err" | head -n 2 >"$TMP/out"
[ "$(wc -l <"$TMP/out")" = 2 ] && ! grep -q . "$TMP/err"
result closed_pipe_is_quiet $?
(timeout 200 "$C" opensnoop -- "$work" open 2000 2>"$TMP/err"; echo $? >"$TMP/status") | true
[ "$(cat "$TMP/status")" = 0 ]
result closed_pipe_is_0 $?

timeout 200 "$C" opensnoop -- "$work" open 2000 >/dev/full 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write: No space left' "$TMP/err"
result full_disk $?
timeout 200 "$C" syscount -d 0.2 -o /dev/full >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write /dev/full: No space left' "$TMP/err"
result full_disk_of_output $?
(ulimit -f 0; exec timeout 200 "$C" run 'syscall:* | count' -d 0.1 -o "$TMP/limited.csv" 2>/dev/null)
[ $? = 1 ]
result file_size_limit $?
timeout 200 "$C" run 'syscall:* | count' -d 0.1 >&- 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write: Bad file' "$TMP/err"
result closed_output $?
timeout 200 "$C" run 'syscall:* | count' -d 0.1 -o "$TMP/closed.csv" <&- >&- 2>&- &&
	[ "$(wc -l <"$TMP/closed.csv")" = 2 ]
result all_closed $?
for n in 6 7 8 9 10 11 12 13 14; do
	sh -c "ulimit -n $n; exec timeout 200 \"\$@\"" - "$C" run 'syscall:read | count by comm' -d 0.1
done >"$TMP/err" 2>&1
grep -q 'cannot load .*: Too many open files' "$TMP/err" && ! grep -q verifier "$TMP/err"
result few_files $?
for n in 12000 14000 16000 18000 20000; do
	sh -c "ulimit -v $n; exec timeout 200 \"\$@\"" - "$C" run 'syscall:read | count by ustack' -d 0.1
	echo "status $?" >&2
done >"$TMP/out" 2>"$TMP/err"
grep -q '^culprit: out of memory' "$TMP/err" && ! grep -q '^status 1[0-9]' "$TMP/err"
result little_memory $?

# Who is not there: said before anything is attached.
(exec sleep 0) &
wait $!
timeout 200 "$C" run 'syscall:read | count' -d 600 -p $! >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q "^culprit: -p $!: there is no such process" "$TMP/err" && [ ! -s "$TMP/out" ]
result process_that_is_gone $?
timeout 200 "$C" run 'syscall:read | count' -d 600 -t $! >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q "^culprit: -t $!: there is no such thread" "$TMP/err"
result thread_that_is_gone $?

timeout 200 "$C" syscount -d 0.2 -o /nonexistent/file >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot write /nonexistent/file: No such file' "$TMP/err"
result output_that_cannot_be_made $?

# What could not begin leaves a file as it was, and no new one.
printf 'old\n' >"$TMP/kept.csv"
for file in kept new; do
	timeout 200 "$C" syscount -o "$TMP/$file.csv" -- "$TMP/nosuch" >"$TMP/out" 2>"$TMP/err"
	echo $?
done >"$TMP/status"
[ "$(echo $(cat "$TMP/status" "$TMP/kept.csv"))" = "1 1 old" ] && grep -q 'cannot run' "$TMP/err" &&
	! [ -e "$TMP/new.csv" ]
result output_of_what_never_began $?
timeout 200 "$C" syscount -o "$TMP/kept.csv" -- true >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q COUNT "$TMP/kept.csv" -i && ! grep -q old "$TMP/kept.csv"
result output_replaces $?

# A pipe that nobody opens: the first signal ends the wait for a reader.
mkfifo "$TMP/lonely"
(trap - INT; exec env --default-signal=INT "$C" syscount -d 600 -o "$TMP/lonely" >"$TMP/out" 2>"$TMP/err") &
pid=$!
until [ "$(readlink /proc/$pid/exe)" = "$(readlink -f "$C")" ] &&
	grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status || ! kill -0 $pid; do sleep 0.1; done
kill -INT $pid
gone $pid
ended=$?
kill -KILL $pid 2>/dev/null
wait $pid
[ $? = 1 ] && [ $ended = 0 ] && grep -q "^culprit: .*lonely is a pipe that nobody reads" "$TMP/err"
result pipe_without_a_reader $?

# The command: its end is the end, whatever it was; its own status is not ours.
timeout 200 "$C" syscount -- sh -c 'exit 7' >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result command_that_fails $?
timeout 200 "$C" syscount -- sh -c 'kill -9 $$' >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q COUNT "$TMP/out"
result command_that_is_killed $?
timeout 200 "$C" syscount -- /nonexistent/program >"$TMP/out" 2>"$TMP/err"
[ $? = 1 ] && grep -q 'cannot run /nonexistent/program: No such file' "$TMP/err"
result command_that_is_not_there $?
timeout 200 "$C" run 'syscall:getppid | count' -- "$work" getppid 1234 >"$TMP/out" 2>"$TMP/err"
grep -qx ' *1234' "$TMP/out"
result command_is_counted_from_its_first_instruction $?

# A command that still runs ends with the tracing; of a killed culprit, too.
timeout 200 "$C" syscount -d 0.5 -- sh -c 'echo $$ >"$0"; exec sleep 600' "$TMP/pid" >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && gone "$(cat "$TMP/pid")"
result command_ends_with_the_time $?
rm "$TMP/pid"
# What it started, too, level by level, and also what does not want to.
long=1000$$
family="trap '' TERM; sh -c 'echo \$\$; sleep $long & echo \$!; sleep $long; true' >>\"\$0\"; sleep $long"
timeout 200 "$C" syscount -d 0.5 -- sh -c "$family" "$TMP/pids" >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(wc -l <"$TMP/pids")" = 2 ] && gone "$(sed -n 1p "$TMP/pids")" &&
	gone "$(sed -n 2p "$TMP/pids")" && ! grep -qxz "$long" /proc/[0-9]*/cmdline
result command_ends_with_all_that_it_started $?
begin syscount -- sh -c 'echo $$ >"$0"; exec sleep 600' "$TMP/pid"
until [ -s "$TMP/pid" ] || ! kill -0 $pid; do sleep 0.1; done
kill -KILL $pid
wait $pid 2>/dev/null
gone "$(cat "$TMP/pid")"
result command_ends_with_a_killed_culprit $?

start=$(date +%s%N)
timeout 200 "$C" syscount -d 500ms >"$TMP/out" 2>"$TMP/err"
took=$(($(date +%s%N) - start))
[ $took -ge 500000000 ]
result duration $?
timeout 200 "$C" run 'syscall:* | count' -i 0.2 -n 3 --no-header >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -c '[0-9]' "$TMP/out")" = 3 ]
result count_of_intervals $?
timeout 200 "$C" run 'syscall:* | count' 0.2 3 --no-header >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -c '[0-9]' "$TMP/out")" = 3 ]
result plain_interval_and_count $?
timeout 200 "$C" run 'syscall:openat | first 5 | print pid' -- "$work" open 3000 >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && [ "$(grep -cx '[0-9]*' "$TMP/out")" = 5 ]
result first_rows $?

# -o: the ending says the format; standard output stays empty.
for ending in json csv txt log; do
	timeout 200 "$C" syscount -d 0.2 -o "$TMP/file.$ending" >"$TMP/out" 2>"$TMP/err"
	status=$?
	case $ending in
	json) head -n 1 "$TMP/file.json" | grep -q '^{"schema"' ;;
	csv) head -n 1 "$TMP/file.csv" | grep -q '^.*event,count' ;;
	*) head -n 1 "$TMP/file.$ending" | grep -q '^EVENT  *COUNT' ;;
	esac && [ $status = 0 ] && [ ! -s "$TMP/out" ]
	result "output_$ending" $?
done
timeout 200 "$C" syscount -d 0.2 --format json >"$TMP/out" 2>"$TMP/err"
head -n 1 "$TMP/out" | grep -q '^{"schema"'
result format $?
timeout 200 "$C" syscount -d 0.2 --no-header >"$TMP/out" 2>"$TMP/err"
! grep -q EVENT "$TMP/out"
result no_header $?
timeout 200 "$C" syscount -d 0.2 --color always >"$TMP/out" 2>"$TMP/err"
grep -q "$(printf '\033')" "$TMP/out"
result color_always $?
timeout 200 "$C" syscount -d 0.2 >"$TMP/out" 2>"$TMP/err"
! grep -q "$(printf '\033')" "$TMP/out" "$TMP/err" && [ ! -s "$TMP/err" ]
result nothing_extra_in_a_pipe $?
timeout 200 "$C" syscount --cost -- "$work" getppid 1000 >"$TMP/out" 2>"$TMP/err"
[ $? = 0 ] && grep -q sys_exit "$TMP/err"
result cost $?
