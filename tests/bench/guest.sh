# Inside a virtual machine of tests/qemu/run, with bpftrace and funclatency added: what a call
# of a kernel function costs (a row of tests/bench/bench.c, ROUNDS times), and how long many
# functions take from start to attached and from Ctrl-C to gone. Without KVM all of it is
# slow: the ratios are what counts.
rounds=$1
mkdir -p /usr/sbin /usr/bin
ln -s /job/funclatency /usr/sbin
ln -s /job/bpftrace /usr/bin
/job/bench /job/bin/culprit /job/bin/work none "$rounds" funclatency
status=$?

cat >/tmp/attached <<'END'
awk '{ printf "%.0f", $1 * 1000 }' /proc/uptime >/tmp/attached_ms
exec sleep 60
END
now_ms() { awk '{ printf "%.0f", $1 * 1000 }' /proc/uptime; }
# The tracer's command line ends with a command that it starts when it is attached.
many() { # TRACER COMMAND ...
	rm -f /tmp/attached_ms
	name=$1 from=$(now_ms)
	shift
	"$@" >/tmp/out 2>/tmp/err &
	until [ -s /tmp/attached_ms ]; do
		[ -e /proc/$! ] || { cat /tmp/out /tmp/err >&2; exit 1; }
		usleep 100000
	done
	attached=$(($(cat /tmp/attached_ms) - from)) from=$(now_ms)
	kill -INT $!
	wait $!
	gone=$(($(now_ms) - from))
	echo "$attached" >>"/tmp/$name.attached"
	echo "$gone" >>"/tmp/$name.gone"
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
n=$(culprit explain 'ac*().enter | count by event' | sed -n 's/.*: kprobe.multi, \([0-9]*\) functions.*/\1/p')
echo
echo "| $n functions, ac\\* | start to attached | Ctrl-C to gone |"
echo '| --- | --- | --- |'
for round in $(seq "$rounds"); do
	many culprit culprit run 'ac*().enter | count by event' -- sh /tmp/attached
	many bpftrace /job/bpftrace -e 'kprobe:ac* { @[func] = count(); }' -c '/bin/sh /tmp/attached'
done
for name in culprit bpftrace; do
	echo "| $name | $(median /tmp/$name.attached) ms | $(median /tmp/$name.gone) ms |"
done
own=$(median /tmp/culprit.attached) own_gone=$(median /tmp/culprit.gone)
bar=$(median /tmp/bpftrace.attached)
if [ "$n" -lt 1000 ] || [ "$own" -gt "$bar" ] || [ "$own_gone" -gt 2000 ]; then
	echo
	echo "Missed: at least 1000 functions, attached within $bar ms, gone within 2000 ms."
	status=1
fi
exit $status
