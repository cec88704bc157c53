# Inside a virtual machine: the stages of tests/live/queries that keep more than a begin are
# taken by this verifier, and the parts of rows add up, with a disk whose requests
# interrupts complete on any CPU; of kernel functions too, with calls inside each other,
# a file system, and threads that lose their CPU and are moved to another.
TMP=/tmp CULPRIT=$(command -v culprit)
export TMP CULPRIT
grep -E '\| *(in|open|worst|split) |via ' tests/live/queries >/tmp/of_stages
sh tests/live/load /tmp/of_stages

adds_up() { # NAME PARTS [each]: every part is there in some row; what was lost is said behind the rows
	sed '/^# /d' /tmp/out.csv | awk -F, -v name="$1" -v parts="$2" -v each="${3-}" '
		{ gsub(/"/, "") }
		NR == 1 {
			for (i = 1; i <= NF; i++) { column = $i; sub(/_ns$/, "", column); at[column] = i }
			n = split(parts, part, " ")
			next
		}
		{
			sum = 0
			for (i = 1; i <= n; i++) {
				if (!((part[i] ".time") in at)) continue
				sum += $at[part[i] ".time"]
				all += $at[part[i] ".count"]
				of[i] += $at[part[i] ".count"]
			}
			if ("other" in at) sum += $at["other"]
			if ("overlap" in at) sum -= $at["overlap"]
			bad += sum != $at["duration"]
			moved += "to" in at && $at["at"] != $at["to"]
			rows++
		}
		END {
			for (i = 1; i <= n; i++) missing += each == "each" && !of[i]
			missing += "to" in at && !moved
			print "# " rows + 0 " rows, " all + 0 " parts, " moved + 0 " moved"
			print (rows && all && !missing && !bad ? "ok " : "not ok ") name (bad ? ": " bad " of " rows : "")
		}'
	rm -f /tmp/out.csv
}

disk='disk = (from block:block_rq_issue to block:block_rq_complete on rq)'
off='off = (from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)'
culprit run -o /tmp/out.csv "syscall:* | where comm == \"dd\" || comm == \"work\" | split $disk, $off, fault = syscall:lseek
	| where disk.count > 0 || off.count > 0 | print comm, event, duration, parts" -- \
	sh -c 'work disk 200 /dev/vda & dd if=/dev/zero of=/mnt/file bs=64k count=100 conv=fsync; wait' \
	>/tmp/err 2>&1 || cat /tmp/err
adds_up split_disk 'disk off fault'
culprit run -o /tmp/out.csv 'syscall:* | split state | print duration, parts' -- \
	sh -c 'work disk 100 /dev/vda & work getppid 2000 4; wait' >/tmp/err 2>&1 || cat /tmp/err
adds_up split_state 'running runnable disk uninterruptible sleeping stopped throttled lock spinning softirq irq'

# ---- split: parts that are kernel functions, by each way of attachment ----

# Long calls, of which there is always one, in a thread that is moved again and again.
moved='dd if=/dev/zero of=/dev/null bs=4M count=100000 &
	dd=$!
	work spin 300 & work spin 300 &
	for i in $(seq 20); do taskset -p 1 $dd; taskset -p 2 $dd; done
	kill $dd
	wait'
by_way() { # WAY OPTION ...
	way=$1
	shift
	culprit explain "$@" 'vfs_read() | hist(duration)' | grep -q "^  vfs_read().*: $way" || return
	ways=$((ways + 1))
	culprit run "$@" -o /tmp/out.csv "do_epoll_ctl() | split walk = ep_loop_check_proc(), $off
		| print duration, parts" -- work nest 100 >/tmp/err 2>&1 || cat /tmp/err
	adds_up "split_recursion_$way" 'walk off'
	culprit run "$@" -o /tmp/out.csv "ext4_sync_file(), vfs_read(), vfs_write()
		| split commit = jbd2_log_wait_commit(), pages = ext4_writepages(), $disk, $off
		| where disk.count > 0 || off.count > 0 | print event, duration, parts" -- \
		sh -c 'work fsync 10 /mnt/f & work fsync 10 /mnt/g &
			dd if=/dev/zero of=/mnt/file bs=64k count=30 conv=fsync
			echo 3 >/proc/sys/vm/drop_caches
			dd if=/mnt/file of=/dev/null bs=256k
			wait' >/tmp/err 2>&1 || cat /tmp/err
	adds_up "split_ext4_$way" 'commit pages disk off' each
	culprit run "$@" -o /tmp/out.csv "vfs_read() | where comm == \"dd\"
		| split zero = (read_zero(), read_iter_zero()), $off
		| print at = begin.cpu, to = end.cpu, duration, parts" -- sh -c "$moved" >/tmp/err 2>&1 || cat /tmp/err
	adds_up "split_moved_$way" 'zero off' each
	culprit run "$@" -o /tmp/out.csv 'vfs_read() | where comm == "dd" | split state
		| print at = begin.cpu, to = end.cpu, duration, parts' -- sh -c "$moved" >/tmp/err 2>&1 || cat /tmp/err
	adds_up "split_moved_state_$way" 'running runnable disk uninterruptible sleeping stopped throttled lock spinning softirq irq'
}
ways=0
by_way fentry
by_way kprobe.session --without fentry
by_way kprobe.multi --without fentry --without kprobe_session
by_way kprobes --without fentry --without kprobe_multi
case $ways:$(uname -r) in
2:6.1.* | 4:6.12.*) echo 'ok each_way' ;;
*) echo "not ok each_way: $ways" ;;
esac

# ---- tree: calls of kernel functions inside each other ----
tree() { # NAME QUERY
	culprit run -o /tmp/out.csv "$2" -- work read 500 >/tmp/err 2>&1 || cat /tmp/err
	outer=$(grep -c ',0,ksys_read,0$' /tmp/out.csv) inner=$(grep -c ',1,vfs_read,0$' /tmp/out.csv)
	leaf=$(grep -c ',2,rw_verify_area,0$' /tmp/out.csv)
	got=$(awk -f tests/live/nest.awk /tmp/out.csv)
	if [ "$got" = "$((outer + inner + leaf)) rows, 0 bad, 0 lost" ] && [ "$outer" = "$inner" ] &&
		[ "$leaf" -ge 500 ] && [ "$leaf" -le "$inner" ]; then
		echo "ok $1"
	else
		head -20 /tmp/out.csv
		echo "# $got: $outer, $inner, $leaf"
		echo "not ok $1"
	fi
}
inside='| in ksys_read() | tree'
tree tree_few "ksys_read(), vfs_read(), rw_verify_area() $inside"
tree tree_many "ksys_rea*(), vfs_rea*(), rw_verify_are[a]() $inside"
