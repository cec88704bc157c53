#!/bin/sh
# split state: a program that computes, in a cgroup with a tenth of a CPU. It is throttled as long as the kernel
# says of the cgroup, then waits for the CPU; the states are the duration.
. tests/live/lib
needs_bpf live_throttled live_throttled_adds_up

skip() {
	for name in live_throttled live_throttled_adds_up; do echo "skip $name: $1"; done
	exit 0
}

# The folder of cgroups with the CPU's controller, of the first version or the second, which is mounted if it has to be.
root=/sys/fs/cgroup mounted=
if [ -e "$root/cpu/tasks" ]; then
	root=$root/cpu
elif ! grep -qw cpu "$root/cgroup.controllers" 2>/dev/null; then
	root=$TMP/cgroup
	mkdir "$root"
	mount -t cgroup2 none "$root" 2>/dev/null || skip 'cgroups cannot be mounted here'
	mounted=$root
fi
group=$root/$RUN.$$
clean() {
	rmdir "$group" 2>/dev/null
	[ -z "$mounted" ] || umount "$mounted"
}
trap clean EXIT
grep -qw cpu "$root/cgroup.controllers" 2>/dev/null && echo +cpu >"$root/cgroup.subtree_control"
mkdir "$group" 2>/dev/null || skip 'no cgroup can be made here'
if [ -e "$group/cpu.max" ]; then
	echo 10000 100000 >"$group/cpu.max"
elif [ -e "$group/cpu.cfs_quota_us" ]; then
	echo 10000 >"$group/cpu.cfs_quota_us"
else
	skip 'cgroups have no quota of the CPU here (CONFIG_CFS_BANDWIDTH)'
fi
trace run 'from sched:sched_process_exec to sched:sched_process_exit on tid | split state | print duration, parts' -- \
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$W" spin $(($(less 400) + 100))
said=$(sed -n 's/^throttled_time //p; s/^throttled_usec \(.*\)/\1000/p' "$group/cpu.stat")
[ "${said:-0}" -ge 50000000 ] || skip "the machine is busy: the quota was not used up ($said ns)"
# The shell before its exec was throttled, too.
between live_throttled "$(sum throttled.time)" $((said / 4)) "$(sum duration)"
is live_throttled_adds_up "$status $(sum duration)" "0 $(calculate "$(
	head -n 1 "$OUT" | tr , "\n" | sed -n "s,\(.*[.]time\)_ns$,\1,p" | while read -r name; do sum "$name"; done | paste -s -d + -)")"
