#!/bin/sh
# What live follows pointers for, found in recorded traces: tools over `small` against what a
# script takes out of babeltrace2's text of it; and which tools each trace can feed.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"

# ---- which tools ----
calls="futexctn iousagetop killsnoop naptime opensnoop shmsnoop statsnoop syncsnoop syscallstats
	syscount execsnoop"
sched="cpudist cputop exitsnoop migrations pidpersec runqlat runqslower schedstats"
disk="biolatency biolatpcts biopattern biosnoop biotop bitesize ioqueue"
other="cpufreq hardirqs irqstats netlatency sigsnoop softirqs softirqslower"
for file in $traces/*.tar.xz; do
	name=$(basename "$file" .tar.xz)
	tar -C "$TMP" -xf "$file"
	case $name in
	small | web | sched | net | snapshot)
		want="$calls $sched $disk $other" ;;
	compact)
		want="cpudist cputop hardirqs pidpersec schedstats" ;;
	rotsess)
		want="cpudist cputop execsnoop migrations naptime opensnoop pidpersec runqlat
			runqslower schedstats syncsnoop syscallstats syscount" ;;
	ctxrich)
		want="bitesize cpudist cputop execsnoop iousagetop naptime offcputime opensnoop
			schedstats sigsnoop syncsnoop syscallstats syscount" ;;
	*)
		want="none of the tools" ;;
	esac
	"$C" doctor --trace "$TMP/$name" 2>/dev/null |
		sed -n 's/^it can feed:* *//p' | tr -s ' ' '\n' | sort >"$TMP/ours"
	echo $want | tr ' ' '\n' | sort >"$TMP/theirs"
	check members_feeds_$name
	if [ $name = small ]; then
		"$C" list tools --trace "$TMP/small" >"$TMP/list" 2>&1
		sed -n '/^The trace can feed/,/^$/s/^  \([^ ]*\) .*/\1/p' "$TMP/list" >"$TMP/ours"
		check members_listed
		grep -E '^  (allocs|tcplife|vfsstat|slow) ' "$TMP/list" | tr -s ' ' >"$TMP/ours"
		cat >"$TMP/theirs" <<'END'
 slow what slow calls spent their time on
 allocs no kmem:kmalloc, kmem:kmem_cache_alloc
 tcplife no sock:inet_sock_set_state
 vfsstat a recorded trace holds no calls of kernel functions
END
		check members_listed_lacks
	fi
	if [ $name = sched ]; then
		# woken while it runs: in this trace who wakes itself
		"$C" run --trace "$TMP/sched" 'sched:sched_wakeup | where p.on_cpu == 1 | print time, pid' >"$TMP/ours"
		"$C" run --trace "$TMP/sched" 'sched:sched_wakeup | where pid == tid | print time, pid' >"$TMP/theirs"
		[ "$(wc -l <"$TMP/ours")" = 2 ] || echo 'one row' >>"$TMP/theirs"
		check members_on_cpu
		"$C" runqlat --trace "$TMP/sched" -v 2>&1 >/dev/null | grep -c restarted >"$TMP/ours"
		echo 0 >"$TMP/theirs"
		check members_runqlat_restarts_nothing
	fi
	if [ $name = ctxrich ]; then
		"$C" run --trace "$TMP/ctxrich" sched:sched_switch --uid 0 2>&1 | head -n 1 >"$TMP/ours"
		echo 'culprit: query:1:1: the trace does not record the process of sched:sched_switch, which' \
			'the options select [no-owner]' >"$TMP/theirs"
		check members_owner_not_told
	fi
	[ $name = small ] || rm -rf "${TMP:?}/$name"
done

# ---- what they say of `small` ----
tar -C "$TMP" -xf $traces/reference/small.tar.xz --one-top-level=reference
xzcat "$(find "$TMP/reference" -path '*small/babeltrace2.txt.xz')" >"$TMP/text"
reference() { # PART
	python3 - "$1" "$TMP/text" <<'PY'
import re, sys

line = re.compile(r'\[(\d+)\.(\d+)\] \S+ (\S+): \{ cpu_id = (\d+) \}, '
                  r'\{ pid = (\d+), tid = (\d+), procname = "(.*?)" \}, \{ (.*?) \}$')
field = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|[^,]+)')
part, table, open_, runs = sys.argv[1], {}, {}, {}
processes, disks, codes, files, paths = {0: 0}, {}, {}, {}, {}
FLAGS = (8, 'ReadAhead'), (0x200, 'ForcedUnitA'), (0x40, 'Metadata'), (0x20, 'Sync')

def add(key, n):
    count, total = table.get(key, (0, 0))
    table[key] = count + 1, total + n

def number(text):
    return int(text, 8 if re.match('0[0-7]', text) else 0)

def kind(rwbs):
    name = ('Discard' if rwbs & 2 else 'Write' if rwbs & 1 else
            'Flush' if rwbs & 0x100 and not rwbs & 4 else 'Read')
    return '-'.join([text for bit, text in FLAGS if rwbs & bit] + [name])

for text in open(sys.argv[2], errors='replace'):
    m = line.match(text.rstrip('\n'))
    if not m:
        continue
    now = int(m[1]) * 10**9 + int(m[2])
    name, cpu, pid, tid = m[3], int(m[4]), int(m[5]), int(m[6])
    f = {k: v.strip('"') for k, v in field.findall(m[8])}
    processes[tid] = pid
    if name == 'lttng_statedump_process_state':
        processes[int(f['tid'])] = int(f['pid'])
        files[f['file_table_address']] = int(f['pid'])
    elif name == 'lttng_statedump_file_descriptor':
        paths[files[f['file_table_address']], int(f['fd'])] = f['filename'], number(f['flags'])
    elif name == 'lttng_statedump_block_device':
        disks[f['dev']] = f['diskname']
    if name == 'sched_process_fork':
        processes[int(f['child_tid'])] = int(f['child_pid'])
        if part == 'forks':
            add(f['child_tid'] == f['child_pid'], 0)
        for (p, fd), path in list(paths.items()):
            if p == pid and f['child_tid'] == f['child_pid']:
                paths[int(f['child_pid']), fd] = path
    if part == 'handlers' and name == 'irq_handler_entry':
        open_[cpu] = now, f['name']
    elif part == 'handlers' and name == 'irq_handler_exit' and cpu in open_:
        begin, handler = open_.pop(cpu)
        add(handler, now - begin)
    elif part == 'running' and name == 'sched_switch':
        if int(f['prev_tid']) in open_:
            add(processes.get(int(f['prev_tid']), '-'), now - open_.pop(int(f['prev_tid'])))
        if int(f['next_tid']):
            open_[int(f['next_tid'])] = now
    elif part == 'disks' and name == 'block_rq_issue':
        # a flush has no sectors
        if int(f['nr_sector']) or int(f['rwbs']) & 0x100:
            place = f['sector'] if int(f['nr_sector']) else '-'
            open_[f['dev'], place] = now, f['bytes'], pid, kind(int(f['rwbs'])), f['sector']
    elif part == 'disks' and name == 'block_rq_complete':
        place = f['sector'] if int(f['nr_sector']) or not int(f['rwbs']) & 0x100 else '-'
        if (f['dev'], place) in open_:
            begin, size, who, what, sector = open_.pop((f['dev'], place))
            print(who, disks[f['dev']], what, sector, size, now - begin, sep=',')
    elif part == 'exits' and name == 'syscall_entry_exit_group':
        codes[pid] = int(f['error_code']) & 0xff
    elif part == 'exits' and name == 'sched_process_exit' and pid == tid:
        print(m[7], pid, codes.get(pid, ''), sep=',')
    elif part == 'files' and re.match('syscall_entry_(open(at)?|dup2?|close|fcntl)$', name):
        open_[tid] = name[14:], f
    elif part == 'files' and name == 'syscall_entry_read':
        open_[tid] = 'read', f, paths.get((pid, int(f['fd'])), ('', 0))[0]
    elif part == 'files' and name == 'syscall_exit_read' and open_.get(tid, '?')[0] == 'read':
        if int(f['ret']) > 0:
            add(open_[tid][2], int(f['ret']))
    elif part == 'files' and name == 'sched_process_exec':
        for key in [k for k, v in paths.items() if k[0] == pid and v[1] & 0o2000000]:
            del paths[key]
    elif part == 'files' and name.startswith('syscall_exit_') and number(f.get('ret', '-1')) >= 0:
        call, args = open_.pop(tid, ('', {}))[:2]
        if name[13:] in ('socket', 'accept4', 'pipe2', 'epoll_create1'):
            paths.pop((pid, int(f['ret'])), None)
        if call != name[13:]:
            continue
        if call.startswith('open'):
            paths[pid, int(f['ret'])] = args['filename'], number(args['flags'])
        elif call == 'close':
            paths.pop((pid, int(args['fd'])), None)
        elif call.startswith('dup') or args.get('cmd') in ('0', '1030'):
            old = args.get('oldfd') or args.get('fildes') or args.get('fd')
            if (pid, int(old)) in paths:
                paths[pid, int(f['ret'])] = (paths[pid, int(old)][0],
                                             0o2000000 if args.get('cmd') == '1030' else 0)
for key, (n, total) in table.items():
    print(key, n, total, sep=',')
PY
}
tool() { # of the trace, as CSV
	"$C" "$@" --trace "$TMP/small" --format csv --no-header 2>/dev/null
}

tool hardirqs | awk -F, '{ print $1 "," $3 "," $2 }' | sort >"$TMP/ours"
reference handlers | sort >"$TMP/theirs"
check members_hardirqs
tool run 'from sched:sched_switch where next_pid != 0 on next_pid to sched:sched_switch on prev_pid
	| count, sum(duration) by end.prev.tgid' | sed 's/^,/-,/' | sort >"$TMP/ours"
reference running | sort >"$TMP/theirs"
check members_cpu_by_process
tool run 'from block:block_rq_issue to block:block_rq_complete on rq
	| print pid, begin.rq.q.disk.disk_name, reqflags(begin.rq.cmd_flags), begin.rq.__sector,
	        begin.rq.__data_len, duration' >"$TMP/ours"
reference disks >"$TMP/theirs"
check members_requests
tool biosnoop | awk -F, '{ print $3 "," $4 "," $5 "," $6 "," $7 "," $8 }' >"$TMP/ours"
check members_biosnoop
[ "$(grep -c ,Flush, "$TMP/theirs")" = 2 ] && echo "ok members_flushes" || echo "not ok members_flushes"
tool run 'sched:sched_process_fork | count by child.pid as s32 == child.tgid as s32' |
	sed 's/false/False/; s/true/True/; s/$/,0/' | sort >"$TMP/ours"
reference forks | sort >"$TMP/theirs"
check members_forks
tool run 'sched:sched_process_exit | where p.pid as s32 == p.tgid as s32
	| print p.comm, p.tgid, (p.exit_code >> 8) & 0xff' >"$TMP/ours"
reference exits >"$TMP/theirs"
check members_exit_codes
tool run 'syscall:read | where ret > 0 | count, sum(ret) by path(file(fd))' | sed 's/"//g' |
	sort >"$TMP/ours"
reference files | sort >"$TMP/theirs"
check members_paths
# two of them are each what they are alone
for key in dfd ret; do
	tool run "syscall:openat | count by path(file($key))" | sort
done >"$TMP/theirs"
tool run 'syscall:openat | count by path(file(dfd)), path(file(ret))' >"$TMP/both"
for key in 1 2; do
	awk -F, -v key=$key '{ n[$key] += $3 } END { for (k in n) print k "," n[k] }' "$TMP/both" | sort
done >"$TMP/ours"
check members_two_paths

# ---- names of those that have exited ----
tool run 'sched:sched_process_free | count by p.comm, p.pid' | sort >"$TMP/ours"
sed -n 's/.*sched_process_free: .*{ comm = "\(.*\)", tid = \([0-9]*\),.*/\1,\2,1/p' "$TMP/text" |
	sort >"$TMP/theirs"
check members_names_of_exited

# ---- inside of structures ----
tool run 'net_dev_queue, net_if_receive_skb | where network_header.ipv4.ttl == 64
	| count by event, network_header.ipv4.protocol, network_header.ipv4.transport_header.udp.len' |
	sort >"$TMP/ours"
awk '/ net_(dev_queue|if_receive_skb): / && / ttl = 64,/ {
	event = /net_dev_queue/ ? "net_dev_queue" : "net_if_receive_skb"
	sub(/.*, protocol = \( "/, "")
	protocol = $1
	sub(/".*/, "", protocol)
	len = ""
	if (protocol == "_udp") {
		sub(/.* len = /, "")
		len = $1 + 0
	}
	n[event "," protocol "," len]++
} END { for (k in n) print k "," n[k] }' "$TMP/text" | sort >"$TMP/theirs"
check members_nested
# ---- what is not there ----
# The kernel that reads a trace has no part in what the trace lacks.
for tool in vfsstat profile bashreadline; do
	"$C" $tool --trace "$TMP/small" >"$TMP/out" 2>&1
	if [ $? = 3 ] && grep -q "^culprit: $tool does not work here: a recorded trace holds no .* kinds of events" "$TMP/out"; then
		echo "ok members_without_$tool"
	else
		cat "$TMP/out"
		echo "not ok members_without_$tool"
	fi
done
small() { # NAME QUERY TEXT
	says "$1" 2 "$3" run --trace "$TMP/small" "$2"
}
small members_lacks_member 'sched:sched_switch | print prev.nsproxy' \
	'recorded are: prev.comm prev.prio prev.pid prev.tgid'
small members_near 'sched:sched_switch | count by next.tgidd' "did you mean 'next.tgid'?"
small members_side 'from sched:sched_switch on next_pid to sched:sched_switch on prev_pid
	| count by prev.tgid' 'write begin.prev.tgid or end.prev.tgid'

# What LTTng records only when the call returns.
small members_of_return_at_entry 'syscall:read.enter | print buf' "no field 'buf'"
small members_of_return_open 'syscall:read | open | print buf' "no field 'buf'"
for of in "sum(buf % 65536) by ret" "count by ret, low = buf % 65536"; do
	"$C" run --trace "$TMP/small" "syscall_exit_read | $of" >"$TMP/theirs"
	for query in syscall:read syscall:read.return \
		'from syscall:read.enter to syscall:read.return'; do
		"$C" run --trace "$TMP/small" "$query | $of" >"$TMP/ours"
		check "members_of_return: $query | $of"
	done
done
