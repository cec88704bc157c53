# Inside a virtual machine: the stages of tests/live/queries that keep more than a begin are
# taken by this verifier, and the parts of rows add up, with a disk whose requests
# interrupts complete on any CPU.
TMP=/tmp CULPRIT=$(command -v culprit)
export TMP CULPRIT
grep -E '\| *(in|open|worst|split) |via ' tests/live/queries >/tmp/queries
sh tests/live/load /tmp/queries

adds_up() { # NAME PARTS
	awk -F, -v name="$1" -v parts="$2" '
		{ gsub(/"/, "") }
		NR == 1 {
			for (i = 1; i <= NF; i++) { column = $i; sub(/_ns$/, "", column); at[column] = i }
			n = split(parts, part, " ")
			next
		}
		{
			sum = 0
			for (i = 1; i <= n; i++) { sum += $at[part[i] ".time"]; all += $at[part[i] ".count"] }
			if ("other" in at) sum += $at["other"]
			if ("overlap" in at) sum -= $at["overlap"]
			bad += sum != $at["duration"]
			rows++
		}
		END {
			print "# " rows + 0 " rows, " all + 0 " parts"
			print (rows && all && !bad ? "ok " : "not ok ") name (bad ? ": " bad " of " rows : "")
		}' /tmp/out.csv
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
adds_up split_state 'running runnable disk uninterruptible sleeping stopped'
exit 0
