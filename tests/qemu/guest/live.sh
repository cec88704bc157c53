# Inside a virtual machine: tests of tests/live that are named run here as they do outside;
# `options` and `load` are its lists of tools and queries, `disk` and `fields` what only
# a machine of its own can show; `attach` is the program of tests/kern.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none CALLS=/job/calls SCALE=20

# Requests as the device itself counts them, through a file system: as many, as long. An
# empty flush that waits for another request's counts there, too.
disk_requests() {
	. tests/live/lib
	stat() { awk '{ print $1 + $5 + $12 + $16, $3 + $7, $1 }' /sys/block/vda/stat; }
	since() { # FIELD: how many more
		echo "$before $after" | awk -v n="$1" '{ print $(n + 3) - $n }'
	}
	for option in -F '-F -D' -Q; do
		name=biolatency$(echo "$option" | tr -d ' ')
		sync
		sleep 0.5
		trace_begin biolatency $option --format json
		before=$(stat)
		for i in 1 2 3; do
			dd if=/dev/zero of=/mnt/direct bs=4k count=100 oflag=direct
			dd if=/dev/zero of=/mnt/synced bs=64k count=10 conv=fsync
			dd if=/dev/vda of=/dev/null bs=4k count=50 iflag=direct
		done 2>/dev/null
		sync
		sleep 0.5
		after=$(stat)
		traced INT
		between ${name}_requests "$(in_buckets)" $(($(since 1) * 98 / 100 - 2)) \
			$(($(since 1) * 102 / 100 + 2))
		[ "$option" = -Q ] && continue
		grep Read "$OUT" >"$TMP/reads"
		mv "$TMP/reads" "$OUT"
		is ${name}_reads "$status $(in_buckets)" "0 $(since 3)"
	done
	sync
	sleep 0.5
	trace_begin biosnoop -Q
	before=$(stat)
	dd if=/dev/vda of=/dev/null bs=4k count=100 iflag=direct 2>/dev/null
	after=$(stat)
	traced INT
	is biosnoop_requests "$status $(rows disk=vda)" "0 $(since 1)"
	is biosnoop_bytes "$(sum bytes disk=vda)" $(($(since 2) * 512))
}

load() { # SECONDS between
	while :; do
		work disk 20 /dev/vda
		dd if=/dev/zero of=/mnt/file bs=4k count=20 conv=fsync
		sleep "$1"
	done >/dev/null 2>&1
}

mv bash /bin/bash	# a tool traces it
for name; do
	export TMP=/tmp/$name
	mkdir -p "$TMP"
	start=$(date +%s)
	case $name in
	options)
		modprobe btrfs
		modprobe xfs
		load 0.5 &
		sh tests/live/options each $(ls tools | sed 's/\.q$//')
		kill $!
		;;
	tools_load)
		modprobe -a btrfs libcrc32c
		for module in xfs md-mod sunrpc grace lockd nfs_acl auth_rpcgss netfs fscache nfs_ssc nfs \
			dns_resolver nfsv4; do
			file=$(find /job -name "$module.ko")
			[ -z "$file" ] || insmod "$file"
		done
		sh tests/live/load_tools $(ls tools | sed 's/\.q$//' |
			awk -v half="${HALF-}" 'half == "" || NR % 2 == half')
		;;
	load) sh tests/live/load tests/live/queries ;;
	disk) (disk_requests) ;;
	fields)
		load 0.02 &
		SLOW=20 ./fields || echo "not ok fields: status $?"
		kill $!
		;;
	attach) ./attach || echo "not ok attach: status $?" ;;
	*) sh "tests/live/$name.sh" ;;
	esac
	echo "# $name took $(($(date +%s) - start)) s"
	rm -rf "$TMP"
done 2>&1
exit 0
