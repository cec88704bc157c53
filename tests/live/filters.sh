#!/bin/sh
# What the command line selects: exactly the calls of these processes, threads, names, users,
# cgroups, CPUs, and of the command and its children.
. tests/live/lib
needs_bpf live_filters
query='syscall:getppid | count by event'
ln -s "$W" "$TMP/chosen"
ln -s "$W" "$TMP/other"

# Programs that wait for the tracer: each is a process here that becomes work later.
mkfifo "$TMP/gate"
wait_then() { # PROGRAM ARGS: $gated is its pid
	sh -c 'read x <"$0"; exec "$@" >/dev/null' "$TMP/gate" "$@" &
	gated=$!
}
open_gate() { : >"$TMP/gate"; }

wait_then "$W" getppid 1000
trace_begin run -p $gated "$query"
"$W" getppid 50000 >/dev/null
open_gate
wait $gated
traced INT
is live_pid "$status $(sum count)" "0 1000"

# In a PID namespace the number is the one there.
if unshare -p -f --mount-proc true 2>/dev/null; then
	unshare -p -f --mount-proc sh -c '. tests/live/lib
		sh -c "read x <\"$TMP/gate\"; exec \"$W\" getppid 1000 >/dev/null" &
		inside=$!
		trace_begin run -p $inside "syscall:getppid | count"
		"$W" getppid 50000 >/dev/null
		: >"$TMP/gate"
		wait $inside
		traced INT
		is live_pid_of_namespace "$((inside < 100)) $status $(sum count)" "1 0 1000"'
	# A process of a namespace inside has one there and one here; culprit itself is told from the other first one.
	unshare -p -f --mount-proc sh -c '. tests/live/lib
		unshare -p -f sh -c "read x <\"$TMP/gate\"; exec \"$W\" getppid 1000 >/dev/null" &
		outer=$!
		await $outer grep -q . /proc/$outer/task/$outer/children
		trace_begin run -p "$(tr -d " " </proc/$outer/task/$outer/children)" "syscall:getppid | count"
		"$W" getppid 500 >/dev/null
		: >"$TMP/gate"
		wait $outer
		traced
		is live_pid_of_namespace_inside "$status $(sum count)" "0 1000"'
	unshare -p -f --mount-proc "$CULPRIT" run -o "$OUT" "syscall:getppid | count" -- \
		unshare -p -f "$W" getppid 1000 >"$DID" 2>"$ERR"
	status=$?
	rows_only
	is live_first_of_namespace "$status $(sum count)" "0 1000"
	# Where nobody is in a namespace inside nothing is asked of one: each question is paid by every event.
	unshare -p -f --mount-proc sh -c '. tests/live/lib
		sleep 600 &
		is live_namespace_asked_once "$("$CULPRIT" explain -p $! "syscall:getppid | count" |
			grep -c "current.pid in this PID namespace") $("$CULPRIT" explain -p $! "syscall:getppid | count" |
			grep -c "level - ")" "1 0"
		kill $!'
	# Names, too, are looked up there; of what is in yet another namespace the reason is said.
	unshare -p -f --mount-proc sh -c '. tests/live/lib
		trace run "syscall:getppid | count by ustack" -- "$W" getppid 1000
		# in a virtual machine the program is stripped, and its file is the name
		leaf=syscall
		grep -aq "[.]symtab" "$W" || leaf="work+0x[0-9a-f]*"
		is live_names_of_namespace "$(sum count) $(grep -q "[;,]$leaf,[0-9]" "$OUT" && echo named)" "1000 named"
		trace run "syscall:getppid | count by ustack" -- unshare -p -f sh -c "$W getppid 1000; exit 0"
		is live_names_elsewhere "$(grep -c "own PID namespace" "$ERR") $(grep -c "process ended" "$ERR")" "1 0"'
	# The number of a process that is gone is another's. The run ends with the last that was named.
	unshare -p -f --mount-proc sh -c '. tests/live/lib
		sh -c "read x <\"$TMP/gate\"; exec \"$W\" getppid 1000 >/dev/null" &
		gone=$!
		sleep 600 &
		stays=$!
		trace_begin run -p $gone,$stays "syscall:getppid | count"
		: >"$TMP/gate"
		wait $gone
		echo $((gone - 1)) >/proc/sys/kernel/ns_last_pid
		"$W" getppid 500 >/dev/null &
		again=$!
		wait $again
		kill $stays
		traced
		is live_pid_given_again "$((again == gone)) $status $(sum count) $(grep -c "are gone" "$ERR")" "1 0 1000 1"'
else
	for name in live_pid_of_namespace live_pid_of_namespace_inside live_first_of_namespace live_names_of_namespace live_names_elsewhere; do
		echo "skip $name: no unshare (package util-linux)"
	done
	echo "skip live_pid_given_again: no unshare (package util-linux)"
fi

wait_then "$W" getppid 1000 2
trace_begin run -t $gated "$query"
open_gate
wait $gated
traced INT
is live_tid "$status $(sum count)" "0 500"

trace_begin run --comm 'chos*' "$query"
"$TMP/chosen" getppid 1000 3 >/dev/null
"$TMP/other" getppid 50000 >/dev/null
traced INT
is live_comm "$status $(sum count)" "0 1000"

# The owner of a call is that of its begin, whatever else is asked: the first write changes the name.
# shellcheck disable=SC2016
renames='printf after >/proc/$$/comm; echo 1 >/dev/null; echo 2 >/dev/null'
for columns in count 'count, max(duration)' 'count, last(comm)'; do
	for comm in sh after; do
		"$CULPRIT" run --comm $comm -o "$OUT" "syscall:write | $columns" -- sh -c "$renames" 2>"$ERR"
		echo "$comm $(sum count)$(cat "$ERR")"
	done
done >"$TMP/renamed"
is live_comm_of_the_begin "$(sort "$TMP/renamed" | uniq -c | tr -s ' ' | tr '\n' ',')" ' 3 after 2, 3 sh 1,'

if setpriv --reuid=12345 --regid=12345 --clear-groups true 2>/dev/null; then
	chmod 755 "$TMP"
	trace_begin run --uid 12345 "$query"
	setpriv --reuid=12345 --regid=12345 --clear-groups "$TMP/chosen" getppid 1000 >/dev/null
	"$TMP/other" getppid 50000 >/dev/null
	traced INT
	is live_uid "$status $(sum count)" "0 1000"
else
	echo "skip live_uid: no setpriv (package util-linux) that changes the user"
fi

mkdir "$TMP/cgroup"
if mount -t cgroup2 none "$TMP/cgroup" 2>/dev/null; then
	group=$TMP/cgroup/${RUN}_$$
	mkdir -p "$group/below" "${group}_2"
	trace_begin run --cgroup "$group" "$query"
	for where in "$group" "$group/below" "${group}_2"; do
		sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@" >/dev/null' "$where" "$W" getppid 1000
	done
	"$W" getppid 50000 >/dev/null
	traced INT
	is live_cgroup "$status $(sum count)" "0 2000"
	# Whose turn it was is told by the task, not by who runs when it is counted. The child waits for its turn there.
	for tool in 'syscount --cgroups --syscall getppid' 'runqlat --cgroups' 'cpudist --cgroups' 'schedstats --cgroups' \
		'cputop --cgroups -i 60' 'syscallstats --cgroups --top 1000'; do
		only=
		[ "${tool%% *}" != syscallstats ] || only=call=getppid
		trace $tool -- sh -c 'echo $$ >"$0/cgroup.procs" && sleep 0.01 && exec "$@" >/dev/null' "$group" "$W" getppid 100
		between "live_cgroups_${tool%% *}" \
			"$(($(rows cgroup="/${group##*/}" $only) + $(rows cgroup="$(stat -c %i "$group")" $only)))" 1 99
	done
	rmdir "$group/below" "$group" "${group}_2"
	umount "$TMP/cgroup"
else
	echo "skip live_cgroup: no cgroup v2 can be mounted"
fi

if [ "$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc)" -gt 1 ]; then
	trace_begin run --cpu 1 --comm chosen "$query, cpu"
	for cpu in 0 1; do taskset -c $cpu "$TMP/chosen" getppid 1000 >/dev/null; done
	taskset -c 0 "$TMP/chosen" getppid 500 >/dev/null
	traced INT
	is live_cpu "$status $(sum count) $(cells cpu)" "0 1000 1"
else
	echo "skip live_cpu: one CPU"
fi

# Its own calls: made while it waits for its end (reads of the ring, the clock).
trace_begin run 'syscall:* | count by pid'
sleep 0.5
traced INT
is live_not_itself "$status $(rows pid=$tracer)" "0 0"
trace_begin run --self 'syscall:* | count by pid'
sleep 0.5
traced INT
between live_self "$(sum count pid=$tracer)" 1 1000000000

# The command, its children, their threads; nothing else, also not what has the same name.
"$W" getppid "$(less 3000000)" >/dev/null &
beside=$!
trace run "$query, comm" -- sh -c "$W getppid 1000 4 & $W getppid 500; (sh -c '$W getppid 70; true'); wait"
is live_command "$status $(sum count comm=work)" "0 1570"
between live_command_and_shells "$(sum count)" 1570 1572	# a shell may ask for its parent
trace run "$query" -- "$W" getppid 0
is live_command_of_nothing "$status $(sum count)" "0 0"
kill $beside 2>/dev/null

# It begins with its exec: one, whatever the PATH, and nothing of what led to it.
ln -s "$W" "$TMP/in_path"
before=$PATH PATH=/nowhere:$TMP/none:$TMP:$PATH
trace run 'syscall:*.return | print event' -- in_path nop 0
PATH=$before
is live_command_begins "$status $(cells event | sed -n 1p) $(rows event=execve)" "0 execve 1"

# A process that was there before, its threads, and what it starts: only with --children.
cat >"$TMP/parent" <<EOT
read line
$W getppid 1000 4 & $W getppid 500; (sh -c '$W getppid 70; true'); wait
EOT
for option in --children ''; do
	mkfifo "$TMP/go$option"
	sh "$TMP/parent" <"$TMP/go$option" >/dev/null &
	parent=$!
	exec 9>"$TMP/go$option"
	trace_begin run -p $parent $option "$query, comm"
	"$W" getppid 300 >/dev/null
	echo >&9
	exec 9>&-
	wait $parent
	traced INT
	want="0 1570"
	[ -n "$option" ] || want="0 0"
	is "live_children$option" "$status $(sum count comm=work)" "$want"
done

# The owner of a wake-up is the woken; of a switch who leaves, or comes.
trace run 'sched:sched_wakeup | count by comm' -- "$W" pingpong 500
is live_owner_of_wakeups "$(cells comm | grep -vxE 'work|pong|culprit' | wc -l)" 0
trace run 'from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid
	| count by comm = begin.prev_comm' -- "$W" pingpong 500
is live_owner_of_switches "$(cells comm | grep -vxE 'work|pong|culprit' | wc -l)" 0
between live_owner_has_all "$(sum count comm=pong)" 250 600

# What has no owner cannot be selected by one: a mistake of the command line.
trace run -p 1 'irq:softirq_entry | count'
is live_no_owner "$status" 2
