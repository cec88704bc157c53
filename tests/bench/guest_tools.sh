# Inside a virtual machine of tests/qemu/run, with libbpf-tools added and a disk: what events cost,
# tool by tool (tests/bench/tools.def, or the rows named), ROUNDS times.
rounds=$1
shift
mkdir -p /usr/sbin
for peer in /job/*; do
	[ -d "$peer" ] || ln -s "$peer" /usr/sbin
done
ip link set lo up 2>/dev/null || ifconfig lo up
dd if=/dev/zero of=/mnt/bench.disk bs=1M count=16 conv=fsync 2>/dev/null
exec /job/bench /job/bin/culprit /job/bin/work /mnt/bench.disk "$rounds" "$@"
