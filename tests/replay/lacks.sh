#!/bin/sh
# What a trace lacks is an error before it is read; the stacks that one recorded are there.
. tests/replay/lib
LC_ALL=C
export LC_ALL

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/small.tar.xz
tar -C "$TMP" -xf $traces/ctxrich.tar.xz

# NAME STATUS TEXT ARGUMENTS...
small() {
	name=$1
	shift
	says "lacks_$name" "$@" --trace "$TMP/small"
}
small kstack 3 'kstack is not in this trace' run '* | count by kstack'
small ustack 3 'ustack is not in this trace' run 'sched_switch | count by ustack'
small stack 3 'stack is not in this trace' run 'sched_switch | count by stack'
small offcputime 3 'offcputime does not work here: kstack is not in this trace' offcputime
small wakeuptime 3 'wakeuptime does not work here' wakeuptime
small uid 3 'uid is not in this trace' run '* | count by uid'
small uid_option 3 '--uid does not work: uid is not in this trace' run '* | count' --uid 0
small task 3 'a trace has no kernel objects' run '* | count by task'
small task_member 3 'task is an address, and a trace does not have what is there' \
	run 'syscall:read | count by task.comm'
small str 3 'the trace has the address buf, but not the text there' \
	run 'syscall:read | where str(buf) == "x" | count'
small text_address 3 'filename is the address of a text, and a trace has only the text' \
	run 'syscall:openat | count by filename'
# ... whatever is made of it: it was an address of this process.
for query in 'last(filename)' 'any(filename)' 'print -filename' 'print filename as u64' 'print filename & 4095' \
	'count by x = filename + 1' 'print dfd > 0 ? 0 : filename' 'print sym(filename)' 'count by filename > 5' \
	'let f = filename | count by str(f)' 'sum(begin.filename - 1)' 'distinct(filename)'; do
	small "text_address_$query" 3 'filename is the address of a text, and a trace has only the text' \
		run "syscall:openat | $query"
done
small file 3 'file() needs the running kernel' run 'syscall:read | count by file(fd)'
small tcpaccept 3 'doctor --trace PATH says which tools' tcpaccept
"$C" run --trace "$TMP/small" '* | count by kstack' 2>&1 | grep -c culprit: >"$TMP/ours"
echo 1 >"$TMP/theirs"
check lacks_is_said_once

# What is no call of a function may be an event, or a program's.
small call_of_event 3 "'sched_switch' is an event of it, without a duration: culprit trace shows each" funclatency sched_switch
small call_of_program 3 'a recorded trace holds no calls of functions: ' funcslower 'shopapp:*'
small call_of_kernel 3 'a recorded trace holds no calls of kernel functions: ' funcslower 'vfs_*'

# CSV has one set of columns.
small csv_of_all 0 'the fields of events that a wildcard names are no columns of CSV: --format json has them' run 'sched_*' --format csv

# The stacks of sched_switch, folded, against the text of its events.
"$C" run --trace "$TMP/ctxrich" sched_switch 2>/dev/null >"$TMP/text"
for kind in kernel user; do
	python3 - "$TMP/text" callstack_$kind <<'EOF' | sort >"$TMP/theirs"
import collections, re, sys

stacks = collections.Counter()
for line in open(sys.argv[1]):
    frames = re.findall(r"= (0x[0-9A-F]+)", re.search(sys.argv[2] + r" = \[(.*?) \](?:, _callstack|, cgroup)", line)[1])
    while frames and frames[-1] == "0xFFFFFFFFFFFFFFFF":
        frames.pop()
    stacks[";".join(f.lower() for f in reversed(frames))] += 1
for stack, n in stacks.items():
    if stack:
        print(stack, n)
EOF
	"$C" run --trace "$TMP/ctxrich" "sched_switch | count by $(echo $kind | cut -c 1)stack" \
		--format folded 2>/dev/null | sed 's/_\[k\]//g' | grep ^0x | sort >"$TMP/ours"
	check "recorded_stacks_$kind"
done

# With buffers for each process the trace's environment tells whose events they are: the
# process that stands before each event's name.
tar -C "$TMP" -xf $traces/ust-pid.tar.xz
"$C" run --trace "$TMP/ust-pid" '*' | sed 's/^\[[^]]*\] [^:]*:\([^:]*\):(\([0-9]*\)) .*vtid = \([0-9]*\) .*/\1,\2,\3/' |
	sort | uniq -c | awk '{ print $2 "," $1 }' >"$TMP/theirs"
"$C" run --trace "$TMP/ust-pid" '* | count by comm, pid, tid' --format csv --no-header | sort >"$TMP/ours"
check process_of_environment
pid=$(head -n 1 "$TMP/theirs" | cut -d , -f 2)
"$C" run --trace "$TMP/ust-pid" '*' | grep -aF ":($pid) " >"$TMP/theirs"
"$C" run --trace "$TMP/ust-pid" '*' -p "$pid" >"$TMP/ours"
check process_of_environment_selects
