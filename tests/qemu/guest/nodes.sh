# Inside a virtual machine of two memory nodes: pages that follow a program to the other one.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none TMP=/tmp/nodes
mkdir -p $TMP
. tests/live/lib
echo always >/sys/kernel/mm/transparent_hugepage/enabled
echo 1 >/proc/sys/kernel/numa_balancing
for file in scan_delay_ms scan_period_min_ms; do
	echo 100 >/sys/kernel/debug/sched/numa_balancing/$file 2>/dev/null || mount -t debugfs none /sys/kernel/debug
	echo 100 >/sys/kernel/debug/sched/numa_balancing/$file
done
trace_begin numamove -i 60
before=$(awk '$1 == "numa_pages_migrated" { print $2 }' /proc/vmstat)
taskset 1 dd if=/dev/zero of=/dev/null bs=64M count=1000000 &
sleep 2
taskset -p 2 $!
sleep 8
kill $!
wait $!
traced INT
moved=$(($(awk '$1 == "numa_pages_migrated" { print $2 }' /proc/vmstat) - before))
between moved "$moved" 1 1000000000
is numamove "$(sum pages)" "$moved"
between numamove_calls "$(sum calls)" 1 $((moved / 10))
exit 0
