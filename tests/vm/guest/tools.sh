# Inside a virtual machine: each tool named runs for a second while there is something
# to see.
load() {
	while :; do
		work getppid 1000
		work open 100
		work exec 5
		work disk 50 /dev/vda
		dd if=/dev/zero of=/mnt/file bs=4k count=20 conv=fsync
		sleep 0.05
	done >/dev/null 2>&1
}

# Exactly 10,000 calls, whoever else calls what.
culprit syscount -- work getppid 10000 2 >/tmp/out 2>/tmp/err
status=$?
if [ $status = 0 ] && grep -w getppid /tmp/out | grep -qw 10000; then
	echo "ok exact"
else
	cat /tmp/out /tmp/err
	echo "not ok exact: status $status"
fi

load &
for tool; do
	of=
	! culprit "$tool" --help | grep -q ' SOURCE ' || of=vfs_read
	timeout 60 culprit "$tool" $of -d 1 >/tmp/out 2>/tmp/err
	status=$?
	if [ $status = 0 ]; then
		echo "ok $tool"
	else
		head -n 20 /tmp/err
		echo "not ok $tool: status $status"
	fi
done
kill $!
exit 0
