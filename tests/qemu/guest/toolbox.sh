# Inside a virtual machine: tools over kernel functions, and over events that need a
# machine of its own (memory that is short), all at once over known work.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none TMP=/tmp/toolbox
mkdir -p $TMP
. tests/live/lib
N=20

begin() { # NAME TOOL [OPTION ...]
	name=$1 tool=$2
	shift 2
	: >"$TMP/$name.err"
	"$CULPRIT" "$tool" -v "$@" -o "$TMP/$name.csv" >/dev/null 2>"$TMP/$name.err" </dev/null &
	pids="$pids $!"
	begun="$begun $!:$name"
}
of() { OUT=$TMP/$1.csv ERR=$TMP/$1.err last=$1; }
all_begun() { for one in $begun; do attached "${one%:*}" "$TMP/${one#*:}.err"; done; }
all_end() { # NAME
	kill -INT $pids
	status=0
	for pid in $pids; do wait "$pid" || status=$?; done
	[ $status = 0 ] || cat "$TMP"/*.err
	is "$1" "$status" 0
	pids= begun=
}
vmstat() { awk -v name="$1" '$1 == name { print $2 }' /proc/vmstat; }
module() { # NAME: one that was added, if there is one
	file=$(find /job -name "$1.ko")
	[ -n "$file" ] || return
	insmod "$file"
}
pids= begun=

# What this kernel has no module of yet: one sentence, and status 3.
for tool in xfsslower nfsslower nfsdist mdflush; do
	culprit $tool -d 0.1 >$DID 2>$ERR
	is lack_$tool "$? $(grep -c "^culprit: $tool does not work here: " $ERR) $(wc -l <$ERR)" "3 1 2"
done

# A server of NFS, whose mountd and exports(5) are these lines. It first waits 10 s for clients of
# an earlier life to come back; meanwhile the other tools are looked at.
for name in sunrpc grace lockd nfs_acl auth_rpcgss netfs fscache nfs_ssc nfs dns_resolver nfsv4 nfsd; do
	module $name
done
mkdir /exports /nfs
until=$(($(date +%s) + 3600))
mount -t nfsd nfsd /proc/fs/nfsd && mount -t tmpfs none /exports &&
	echo 10 >/proc/fs/nfsd/nfsv4gracetime &&
	echo "-3 +4" >/proc/fs/nfsd/versions &&
	echo 2 >/proc/fs/nfsd/threads &&
	echo "nfsd 127.0.0.1 $until local" >/proc/net/rpc/auth.unix.ip/channel &&
	echo "local /exports $until 9218 65534 65534 0" >/proc/net/rpc/nfsd.export/channel &&
	printf 'local 1 \\x00000000 %s /exports\n' $until >/proc/net/rpc/nfsd.fh/channel &&
	serves=yes

begin vfsstat vfsstat -i 60 --comm chores
begin filelife filelife
begin fileslower fileslower 0ms --comm chores
begin filetop filetop -i 60 --comm work -a
begin dcsnoop dcsnoop --comm chores
begin dcstat dcstat -i 60 --comm rm
begin cachetop cachetop -i 60
begin readahead readahead --format json
begin tcprtt tcprtt --format json
begin capable capable --comm chores
begin dirtop dirtop -i 60 --rows 1000 --dir folder
begin filegone filegone
begin vfscount vfscount --comm chores
begin tcpsynbl tcpsynbl
begin funcinterval funcinterval vfs_fsync_range --comm chores --format json
begin klockstat klockstat -s --comm work --rows 1000
begin held klockstat --held --comm work --rows 1000
begin cachestat cachestat -i 60
all_begun
mkdir -p /mnt/folder
absent=$(seq 100 | sed 's,^,/mnt/absent.,')
rm -f $absent
rm -f $absent
chores $N /mnt/folder/chores.file >$TMP/did
work read 100
dd if=/dev/zero of=/mnt/ahead bs=64k count=16 2>/dev/null
sync
echo 3 >/proc/sys/vm/drop_caches
for i in 1 2 3 4; do dd if=/mnt/ahead of=/dev/null bs=4k 2>/dev/null; done
work convoy 50 /mnt/convoy >$TMP/convoy
all_end functions_end

of vfsstat
between vfsstat_fsync "$(sum fsync)" $N $((N + 2))
between vfsstat_unlink "$(sum unlink) " 1 3
between vfsstat_write "$(sum write)" $N $((N + 40))
of filelife
is filelife "$(rows comm=chores file=chores.file)" 2
of fileslower
is fileslower "$(rows kind=vfs_write bytes=1 file=/mnt/folder/chores.file)" $N
of filetop
is filetop "$(sum reads comm=work file=zero) $(sum r_bytes comm=work file=zero)" "100 6400"
of dcsnoop
is dcsnoop "$(grep -c ',chores.file.open.[0-9]*$' $OUT) $(grep -c ',chores.file.find.[0-9]*$' $OUT) $(
	rows comm=chores name=chores.file.to)" "$N $N $N"
of dcstat
# 100 names of two parts that are not there, asked for twice: the second time the cache knows it
between dcstat_miss "$(sum miss)" 100 105
between dcstat_refs "$(sum refs)" 400 420
of cachestat
between cachestat "$(sum misses)" 200 400
between cachestat_cached "$(sum cached)" 1000000 1000000000
of cachetop
between cachetop "$(sum added comm=dd)" 256 2000
of readahead
between readahead "$(in_buckets)" 100 2000
of tcprtt
between tcprtt "$(in_buckets)" $((2 * N)) 100000
of capable
between capable "$(rows cap=CAP_SYS_ADMIN granted=true)" $N 1000
of dirtop
is dirtop "$(sum writes dir=folder device=vda) $(sum w_bytes dir=folder device=vda)" "$N $N"
of filegone
is filegone "$(rows comm=chores action=removed file=chores.file) $(
	rows action=renamed file=chores.file into=chores.file.to) $(rows action=renamed into=chores.file)" "3 $N $N"
of vfscount
is vfscount "$(sum count function=vfs_rename) $(sum count function=vfs_unlink)" "$((2 * N)) 2"
of tcpsynbl
port=$(sed -n 's/^port //p' $TMP/did)
# Data that comes beside the last segment of the handshake asks once more, on the other CPU.
between tcpsynbl "$(sum connections lport="$port" limit=7)" $N $((2 * N))
of funcinterval
is funcinterval "$(in_buckets)" $((N - 1))
# Threads that each wait for one lock, and each have it for a third of the time, at most.
wall=$(awk '$1 == "convoy" { printf "%.0f", $2 * $3 }' $TMP/convoy)
of klockstat
between klockstat "$(sum total comm=work)" "$wall" $((wall * 32 / 10))
lock=$(cells lock comm=work | head -n 1)
of held
between klockstat_held "$(sum total lock="$lock")" $((wall / 3)) $((wall * 11 / 10))

# A group that may have 20 MB, and a program that wants more: first it frees pages itself, then
# it is killed.
begin oomkill oomkill
begin swapin swapin -i 60
begin swapin_blocks swapin -i 60 --without kprobe --without kprobe_multi --without kprobe_session --without fentry
begin drsnoop drsnoop -e
begin shrinkers shrinkers
begin compactsnoop compactsnoop -e
begin kswapd kswapd --format json
begin slabratetop slabratetop -i 60 --rows 1000
begin faults faults --rows 1000
begin wqlat wqlat --format json
scanned=$(vmstat slabs_scanned)
all_begun
group=/sys/fs/cgroup/small
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $group
echo 20M >$group/memory.max
sh -c "echo \$\$ >$group/cgroup.procs; dd if=/dev/zero of=/mnt/large bs=1M count=40 2>/dev/null
	exec dd if=/dev/zero of=/dev/null bs=100M count=1" 2>/dev/null
rm /mnt/large
dd if=/dev/zero of=/mnt/swap bs=1M count=24 2>/dev/null
mkswap /mnt/swap >/dev/null && swapon /mnt/swap
swapped=$(vmstat pswpin)
sh -c "echo \$\$ >$group/cgroup.procs; exec dd if=/dev/urandom of=/dev/null bs=24M count=2" 2>/dev/null
swapped=$(($(vmstat pswpin) - swapped))
# A mark so high that a file of 300 MB is more than there is: kswapd frees some.
runs=$(vmstat pageoutrun)
least=$(cat /proc/sys/vm/min_free_kbytes)
echo 500000 >/proc/sys/vm/min_free_kbytes
truncate -s 300M /mnt/sparse
dd if=/mnt/sparse of=/dev/null bs=1M 2>/dev/null
echo "$least" >/proc/sys/vm/min_free_kbytes
sleep 0.5
runs=$(($(vmstat pageoutrun) - runs))
echo 2 >/proc/sys/vm/drop_caches
echo 1 >/proc/sys/vm/compact_memory
killed=$(awk '$1 == "oom_kill" { print $2 }' $group/memory.events)
all_end memory_ends
of oomkill
is oomkill "$(rows victim=dd) $(rows)" "$killed $killed"
of swapin
between swapin "$(sum count comm=dd)" 1 "$swapped"
read=$(sum count comm=dd)
of swapin_blocks
between swapin_blocks "$(sum count comm=dd)" $((read * 9 / 10)) $((read * 11 / 10))
of drsnoop
between drsnoop "$(sum pages comm=dd)" 1000 10000000
# A group's limit makes it free pages while the machine, which has 1 GB, is not short of them.
between drsnoop_free "$(cells free comm=dd | head -n 1)" 1000 250000
of shrinkers
between shrinkers "$(sum freed)" 1 $(($(vmstat slabs_scanned) - scanned))
of compactsnoop
between compactsnoop "$(rows comm=sh status=complete)" 1 100
is compactsnoop_fragmentation "$(cells fragmentation comm=sh | sort -u)" 0
is compactsnoop_marks "$(rows comm=sh) $(cells min comm=sh | head -n 1)" "$(
	rows comm=sh) $(awk -v n="$(cells node comm=sh | head -n 1)," -v z="$(cells zone comm=sh | head -n 1)" '
		/^Node/ { at = n == $2 && $4 == z } at && $1 == "min" { print $2; exit }' /proc/zoneinfo)"
of slabratetop
between slabratetop "$(sum allocs)" 100 100000000
of faults
between faults "$(sum faults comm=dd)" 1000 100000
of wqlat
between wqlat "$(in_buckets)" 1 1000000
of kswapd
echo "kswapd: $(in_buckets) of $runs"
between kswapd "$(in_buckets)" 1 "$runs"

# A mirror of one disk, made by sysfs: each fsync of the program flushes it.
if module md-mod && module raid1 && modprobe null_blk gb=1 &&
	echo md_mirror >/sys/module/md_mod/parameters/new_array; then
	md=/sys/block/md_mirror/md
	echo none >$md/metadata_version
	echo raid1 >$md/level
	echo 1 >$md/raid_disks
	cat /sys/block/nullb0/dev >$md/new_dev
	echo 16384 >$md/dev-nullb0/size
	echo 16384 >$md/component_size
	echo 0 >$md/dev-nullb0/slot
	echo active >$md/array_state
	begin mdflush mdflush --comm work
else
	echo "skip mdflush: this kernel has no md_mod"
fi
nfs=/nfs
if [ "${serves-}" = yes ] &&
	mount -i -t nfs4 -o vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1,sec=sys 127.0.0.1:/ $nfs; then
	begin nfsslower nfsslower 0 --comm dd --file file
	begin nfsdist nfsdist --comm dd --format json
else
	nfs=
	echo "skip nfs: no server of it can be had here"
fi
# xfs wants a file system of 300 MB: a file with holes.
xfs=/tmp/xfs
mkfs=$(command -v /job/mkfs.xfs)
modprobe libcrc32c
modprobe loop
if [ -n "$mkfs" ] && module xfs && truncate -s 300M $xfs.image && $mkfs -q $xfs.image && mkdir $xfs &&
	mount -o loop -t xfs $xfs.image $xfs; then
	begin xfsslower xfsslower 0 --comm dd --file file
	begin xfsdist xfsdist --comm dd --format json
else
	xfs=
	echo "skip xfs: no mkfs.xfs (make deps)"
fi
all_begun
[ -z "${md-}" ] || work fsync $N /dev/md_mirror >/dev/null
for folder in $nfs $xfs; do
	dd if=/dev/zero of=$folder/file bs=4k count=100 conv=fsync 2>/dev/null
	dd if=$folder/file of=/dev/null bs=4k count=100 2>/dev/null
done
all_end modules_end
if [ -n "${md-}" ]; then
	of mdflush
	is mdflush "$(rows device=md_mirror)" $((2 * N))
fi
if [ -n "$nfs" ]; then
	umount $nfs
	of nfsslower
	is nfsslower "$(rows kind=W) $(sum bytes kind=W) $(rows kind=R) $(sum bytes kind=R) $(rows kind=O)" \
		"100 409600 100 409600 1"
	of nfsdist
	between nfsdist "$(in_buckets)" 201 300
fi
if [ -n "$xfs" ]; then
	of xfsslower
	is xfsslower "$(rows kind=W) $(sum bytes kind=W) $(rows kind=R) $(sum bytes kind=R) $(rows kind=O) $(rows kind=S)" \
		"100 409600 100 409600 2 1"
	of xfsdist
	is xfsdist "$(in_buckets)" 203
fi
# MPTCP, by which servers in Go listen: 6.12 does not call inet_listen() for it.
trace solisten -- "$W" listen 3 262
is solisten_mptcp "$(rows backlog=1 address=127.0.0.1)" 3
# Two tables, made side by side, for which there is no room.
"$CULPRIT" run --max-open 60000000 --table-size 60000000 -d 1ms \
	'from block:block_rq_issue to block:block_rq_complete on rq | hist(duration) by begin.dev' >"$TMP/full" 2>&1
is no_room "$? $(grep -c 'cannot make table begin (begins of .*): Cannot allocate memory' "$TMP/full") $(
	grep -c 'see --table-size and --max-open' "$TMP/full")" "1 1 1"
exit 0
