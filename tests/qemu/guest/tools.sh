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

is() { # NAME GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok $1"
	else
		echo "got  '$2'"
		echo "want '$3'"
		cat /tmp/err
		echo "not ok $1"
	fi
}

# The tools of functions against known work.
# Operations on `file` by kind: as many, so many bytes, the sum of their offsets.
operations() { # TOOL COMMAND ...
	tool=$1
	shift
	culprit "$tool" 0 --comm dd -o /tmp/out.csv -- "$@" 2>/tmp/err
	awk -F, 'NR > 1 && $8 == "file" { n[$4]++; bytes[$4] += $5; at[$4] += $6 }
		END { for (k in n) print k, n[k], bytes[k], at[k] }' /tmp/out.csv | sort | tr '\n' ' '
}
files() { # TOOL FOLDER
	is "$1_writes" \
		"$(operations "$1" dd if=/dev/zero of="$2/file" bs=4k count=100 conv=fsync)" \
		'O 1 0 0 S 1 0 0 W 100 409600 20275200 '
	is "$1_reads" "$(operations "$1" dd if="$2/file" of=/dev/null bs=4k count=100)" \
		'O 1 0 0 R 100 409600 20275200 '
}
by_operation() { # TOOL FOLDER
	is "$1" "$(culprit "$1" --format csv --comm dd -- \
		dd if=/dev/zero of="$2/file" bs=4k count=100 conv=fsync 2>/tmp/err |
		awk -F'[,:; ]' 'NR > 1 { n = 0; for (i = 3; i <= NF; i += 2) n += $i; print $1, n }' | tr '\n' ' ')" \
		'fsync 1 open 1 write 100 '
}
known_work() {
	files ext4slower /mnt
	by_operation ext4dist /mnt
	modprobe btrfs
	mkdir /tmp/btrfs
	mount LABEL=btrfs /tmp/btrfs
	files btrfsslower /tmp/btrfs
	by_operation btrfsdist /tmp/btrfs

	# Each direct read of a block is a request.
	culprit bioslower 0 -s --disk vda -o /tmp/out.csv -- \
		dd if=/dev/vda of=/dev/null bs=4k count=50 iflag=direct 2>/tmp/err
	is bioslower "$(awk -F, '$2 == "dd" && $4 == "vda" && $5 ~ /Read/ && $6 % 8 == 0 && $6 < 400 &&
		$7 == 4096 { n++; at += $6 } END { print n, at }' /tmp/out.csv)" '50 9800'
	is trace "$(culprit trace 'vfs_read()' -f 'count > 20000' \
		-s '"read %d of %s", count, str(file.f_path.dentry.d_name.name)' --comm dd -- \
		dd if=/dev/zero of=/dev/null bs=30000 count=3 2>/tmp/err |
		sed 's/.*vfs_read *//' | sort | uniq -c | sed 's/^ *//')" '3 read 30000 of zero'
	is trace_table "$(culprit trace --format csv 'vfs_read().enter' -f 'count > 20000' -s count -M 2 \
		--comm dd -- dd if=/dev/zero of=/dev/null bs=30000 count=3 2>/tmp/err |
		cut -d, -f4- | tr '\n' ' ')" 'comm,function,count_bytes dd,vfs_read,30000 dd,vfs_read,30000 '
}
[ ! -b /dev/vdb ] || known_work

modprobe btrfs
modprobe xfs
# Some at a time: what a tool costs here is mostly waiting.
one() { # TOOL
	of=
	! culprit "$1" --help | grep -q '^culprit [^ ]* \[OPTIONS\] [A-Z]*SOURCE' || of=vfs_read
	timeout 100 culprit "$1" $of -d 1 >/tmp/"$1".out 2>/tmp/"$1".err
	status=$?
	if [ $status = 0 ]; then
		echo "ok $1"
	elif [ $status = 3 ] && grep -q 'has no such counter\|does not work here' /tmp/"$1".err; then
		echo "skip $1: $(head -n 1 /tmp/"$1".err)"
	else
		head -n 20 /tmp/"$1".err
		echo "not ok $1: status $status"
	fi
}
load &
load=$!
while [ $# -gt 0 ]; do
	running=
	for i in 1 2 3 4 5 6 7 8; do
		[ $# -gt 0 ] || break
		one "$1" &
		running="$running $!"
		shift
	done
	wait $running
done
kill $load
exit 0
