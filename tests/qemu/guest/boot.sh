# Inside a virtual machine: is there what the tests need? Ends with 7.
set -e
uname -r
test "$1" = "it's"
test -s /sys/kernel/btf/vmlinux
test -d /sys/kernel/tracing/events/syscalls
test -e /sys/fs/bpf
test -e /sys/fs/cgroup/cgroup.procs
grep -q "($2)" /sys/kernel/debug/sched/preempt
mount | grep -q '^/dev/vda on /mnt type ext4'
dd if=/dev/zero of=/mnt/file bs=4k count=100 oflag=direct 2>/dev/null
test "$(stat -c %s /mnt/file)" = 409600
work disk 10 /dev/vda
modprobe null_blk
test -b /dev/nullb0
modprobe btrfs
grep -q btrfs /proc/filesystems
echo done
exit 7
