# Inside a virtual machine: what a CPU does that goes and comes back, and one that was not there
# when culprit began. Both are sampled again, and what a program mapped there is known.
cpu=/sys/devices/system/cpu/cpu1/online
spins='printf %s $NAME >/proc/$$/comm; while :; do :; done'
i=0

until_seen() { # NAME COMMAND ...: a row of the process, which has this name, on CPU 1
	name=$1
	shift
	NAME=$name taskset 2 "$@" &
	spinner=$!
	i=0
	while ! grep -q "^1 $name$" /tmp/rows && [ $i -lt 100 ] && [ -e /proc/$culprit ]; do
		i=$((i + 1))
		usleep 100000
	done
	kill $spinner
	if grep -q "^1 $name$" /tmp/rows; then
		echo "ok sampled_$name"
	else
		echo "not ok sampled_$name"
		sort /tmp/rows | uniq -c | tail -n 20
		cat /tmp/err
	fi
}

named() { # FRAMES: in a stack
	if tr -s ' \n' ';' </tmp/rows | grep -q ";$1"; then
		echo "ok named_$1"
	else
		echo "not ok named_$1"
		tail -n 60 /tmp/rows
	fi
}

begin() { # QUERY
	: >/tmp/err
	culprit run -v "$@" >/tmp/rows 2>/tmp/err &
	culprit=$!
	until grep -q '^culprit: tracing; ' /tmp/err || [ ! -e /proc/$culprit ]; do usleep 100000; done
}

echo 0 >$cpu
begin 'cpu@99hz | where cpu == 1 | print "%d %s", cpu, comm; cpu@99hz | where cpu == 1 | count by stack'
echo 1 >$cpu
until_seen came sh -c "$spins"
echo 0 >$cpu
echo 1 >$cpu
until_seen came_back sh -c "$spins"
# gone before culprit can ask for what it had mapped
kill -STOP $culprit
taskset 2 ./calls timed 1 300000000
kill -CONT $culprit
until_seen work work read 100000000
kill -INT $culprit
wait $culprit
named timed
named 'vfs_read;ksys_read'
