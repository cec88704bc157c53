# Inside a virtual machine: what a CPU does that goes and comes back, and one that was not there
# when culprit began. Both are sampled again.
cpu=/sys/devices/system/cpu/cpu1/online
spins='printf %s $NAME >/proc/$$/comm; while :; do :; done'
i=0

until_seen() { # NAME: a row of a process of this name, on CPU 1
	NAME=$1 taskset 2 sh -c "$spins" &
	spinner=$!
	i=0
	while ! grep -q "^1 $1$" /tmp/rows && [ $i -lt 100 ] && [ -e /proc/$culprit ]; do
		i=$((i + 1))
		usleep 100000
	done
	kill $spinner
	if grep -q "^1 $1$" /tmp/rows; then
		echo "ok sampled_$1"
	else
		echo "not ok sampled_$1"
		sort /tmp/rows | uniq -c | tail -n 20
		cat /tmp/err
	fi
}

begin() { # QUERY
	: >/tmp/err
	culprit run -v "$@" >/tmp/rows 2>/tmp/err &
	culprit=$!
	until grep -q '^culprit: tracing; ' /tmp/err || [ ! -e /proc/$culprit ]; do usleep 100000; done
}

echo 0 >$cpu
begin 'cpu@99hz | where cpu == 1 | print "%d %s", cpu, comm'
echo 1 >$cpu
until_seen came
echo 0 >$cpu
echo 1 >$cpu
until_seen came_back
kill -INT $culprit
wait $culprit
