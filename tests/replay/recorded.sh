#!/bin/sh
# Queries and tools over the recorded traces beside the repository, against results that a
# script takes out of babeltrace2's text of them.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/small.tar.xz
tar -C "$TMP" -xf $traces/compact.tar.xz
for t in small compact; do
	tar -C "$TMP" -xf $traces/reference/$t.tar.xz --one-top-level=reference
	ref=$(dirname "$(find "$TMP/reference" -path "*$t/event-counts.txt")")
	"$C" run --trace "$TMP/$t" '* | count by event' --format csv --no-header |
		sed 's/^\([^,]*\),\(.*\)/\2 \1/' | sort >"$TMP/ours"
	awk '{ print $1, $2 }' "$ref/event-counts.txt" | sort >"$TMP/theirs"
	check "recorded_counts_$t"
done
xzcat "$(find "$TMP/reference" -path '*small/babeltrace2.txt.xz')" >"$TMP/text"

# PART: what the script prints of the text
reference() {
	python3 - "$1" "$TMP/text" <<'EOF'
import re, sys

line = re.compile(r'\[(\d+)\.(\d+)\] \S+ (\S+): \{ cpu_id = (\d+) \}, '
                  r'\{ pid = (\d+), tid = (\d+), procname = "(.*?)" \}, \{ (?:(.*?) )?\}$')
field = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|[^,]+)')
calls, opens, waits, runs, switches, running = {}, {}, {}, [], {}, {}
for text in open(sys.argv[2], errors='replace'):
    m = line.match(text.rstrip('\n'))
    if not m:
        continue
    now = int(m[1]) * 10**9 + int(m[2])
    name, tid, f = m[3], int(m[6]), dict(field.findall(m[8] or ''))
    running[m[4]] = tid
    if name.startswith('syscall_entry_'):
        opens[tid] = name[14:], now, f
    elif name.startswith('syscall_exit_'):
        exited = name[13:]
        call, begin, args = opens.pop(tid, (None, 0, None))
        if call != exited and exited in ('clone', 'clone3', 'fork', 'vfork') and f['ret'] == '0':
            continue    # the child
        if 'unknown' not in (call, exited):
            n, total = calls.get(exited, (0, 0))
            calls[exited] = n + 1, total + (now - begin if call == exited else 0)
        if call == exited:
            if sys.argv[1] == 'opens' and call in ('open', 'openat', 'openat2'):
                print(m[5], m[7], f['ret'], args['filename'].strip('"'), sep=',')
    elif name == 'sched_wakeup_new' or name == 'sched_wakeup' and int(f['tid']) not in running.values():
        waits[int(f['tid'])] = now
    elif name == 'sched_process_exit':
        opens.pop(tid, None)
    elif name == 'sched_switch':
        running[m[4]] = int(f['next_tid'])
        key = (m[7], f['prev_comm'].strip('"'))
        switches[key] = switches.get(key, 0) + 1
        if int(f['next_tid']) in waits:
            runs.append(now - waits.pop(int(f['next_tid'])))
        if int(f['prev_tid']) and int(f['prev_state']) in (0, 256):
            waits[int(f['prev_tid'])] = now
if sys.argv[1] == 'calls':
    for call, (n, total) in calls.items():
        print(call, n, total, sep=',')
elif sys.argv[1] == 'waits':
    print(len(runs), sum(runs), max(runs), sep=',')
elif sys.argv[1] == 'switches':
    for (comm, prev), n in switches.items():
        print(comm, prev, n, sep=',')
EOF
}

"$C" syscount -L --top 1000 --trace "$TMP/small" --format csv --no-header 2>/dev/null |
	sort >"$TMP/all"
reference calls | sort >"$TMP/theirs"
cut -d, -f1 "$TMP/theirs" >"$TMP/names"
# the calls that LTTng calls unknown have names here
grep -wFf "$TMP/names" "$TMP/all" >"$TMP/ours"
check recorded_syscount
# the child of a fork did not call it, and its return is no loss
"$C" run -v --trace "$TMP/small" 'syscall:clone.return, syscall:vfork.return, syscall:clone3.return | count;
	syscall:clone, syscall:vfork, syscall:clone3 | count, none = count where ret == 0' \
	--format csv --no-header 2>"$TMP/err" | sed 's/,/ /g' >"$TMP/ours"
grep unmatched "$TMP/err" >>"$TMP/ours"
reference calls | awk -F, '$1 ~ /^(clone3?|vfork)$/ { n += $2 } END { print n; print ""; print n, 0 }' >"$TMP/theirs"
check recorded_forks
if grep -q '^arch_prctl,' "$TMP/all" && grep -q '^getrandom,' "$TMP/all"; then
	echo "ok recorded_unknown_calls"
else
	echo "not ok recorded_unknown_calls"
fi
"$C" run --trace "$TMP/small" 'syscall:open, syscall:openat, syscall:openat2
	| print pid, comm, ret, str(filename)' --format csv --no-header 2>/dev/null >"$TMP/ours"
# babeltrace2 2.0 prints an empty string as the last text of that field
reference opens | awk -v ours="$TMP/ours" '{
	getline line <ours
	if (line ~ /,""$/)
		sub(/,[^,]*$/, ",\"\"")
	print
}' >"$TMP/theirs"
check recorded_opens
"$C" opensnoop --trace "$TMP/small" --format csv --no-header 2>/dev/null | wc -l >"$TMP/ours"
reference opens | wc -l >"$TMP/theirs"
check recorded_opensnoop
"$C" run --trace "$TMP/small" 'from (sched:sched_wakeup where p.on_cpu == 0 on pid, sched:sched_wakeup_new on pid,
	sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid)
	to sched:sched_switch on next_pid | count, sum(duration), max(duration)' \
	--format csv --no-header 2>/dev/null >"$TMP/ours"
reference waits >"$TMP/theirs"
check recorded_runqlat
"$C" run --trace "$TMP/small" 'sched_switch | count by comm, prev_comm' --format csv \
	--no-header | sort >"$TMP/ours"
reference switches | sort >"$TMP/theirs"
check recorded_contexts

# compact has no contexts: who runs is known by switches. What none told is none.
"$C" run --trace "$TMP/compact" 'sched:sched_switch | count by tid, prev_pid, comm, prev_comm
	' --format csv --no-header | awk -F, '{ same += $1 == $2 && $3 == $4; n++ }
	END { print (n > 0 && same == n) }' >"$TMP/ours"
echo 1 >"$TMP/theirs"
check recorded_model
"$C" run --trace "$TMP/small" 'from block:block_rq_issue to block:block_rq_complete on rq
	| count by disk(begin.dev)' --format csv --no-header 2>/dev/null | grep -c '^vd' >"$TMP/ours"
awk '/block_rq_issue:/ && !/nr_sector = 0,/ { sub(/.*dev = /, ""); sub(/,.*/, ""); seen[$0] }
     END { n = 0; for (d in seen) n++; print n }' "$TMP/text" >"$TMP/theirs"
check recorded_disks
"$C" run --trace "$TMP/small" 'tcp:tcp_probe | count' >"$TMP/out" 2>&1
[ $? = 2 ] && grep -q 'list events --trace' "$TMP/out" && echo "ok recorded_lacks" ||
	echo "not ok recorded_lacks"
"$C" doctor --trace "$TMP/small" >"$TMP/out" 2>&1
if grep -q '^it can feed: .* opensnoop .*syscount' "$TMP/out" &&
   ! grep -Eq 'feed:.* (tcpretrans|profile)' "$TMP/out"; then
	echo "ok recorded_doctor"
else
	cat "$TMP/out"
	echo "not ok recorded_doctor"
fi
