#!/bin/sh
# The names of events by themselves print them as they were recorded; the options that choose
# among events choose among those lines, too.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/small.tar.xz
"$C" run --trace "$TMP/small" '*' >"$TMP/all" 2>"$TMP/err"

# NAME LINES ARGUMENTS...: what is printed is what grep -E finds in all
lines() {
	name=$1
	grep -E "$2" "$TMP/all" >"$TMP/theirs"
	shift 2
	"$C" run --trace "$TMP/small" "$@" >"$TMP/ours" 2>"$TMP/err"
	check "print_$name"
}
pid=$(sed -n '1000s/.* pid = \([0-9]*\),.*/\1/p' "$TMP/all")
tid=$(sed -n '1000s/.* tid = \([0-9]*\),.*/\1/p' "$TMP/all")
comm=$(sed -n '3000s/.* procname = "\([^"]*\)".*/\1/p' "$TMP/all")
lines pid "\{ pid = $pid, " '*' -p "$pid"
lines tid "[{,] tid = $tid, procname" '*' -t "$tid"
lines cpu '\{ cpu_id = 1 \}' '*' --cpu 1
lines comm "procname = \"$comm\" \}" '*' --comm "$comm"
lines glob_and_cpu ' sched_[a-z_]*: \{ cpu_id = 0 \}' 'sched_*' --cpu 0
lines blanks ' sched_switch: ' ' sched_switch  # a remark'
lines union ' (sched_switch|sched_wakeup): ' 'sched_switch, sched_wakeup'
echo '*' >"$TMP/all.q"
lines file '' -f "$TMP/all.q"
"$C" run --trace "$TMP/small" '*' --cpu 1 -o "$TMP/part.txt" 2>"$TMP/err"
grep '{ cpu_id = 1 }' "$TMP/all" >"$TMP/theirs"
cp "$TMP/part.txt" "$TMP/ours"
check print_output

# In other formats and by the live names they are rows.
n=$(grep -c ' sched_switch: ' "$TMP/all")
rows() { # NAME ROWS_AND_HEADERS ARGUMENTS...
	name=$1
	echo "$2" >"$TMP/theirs"
	shift 2
	"$C" run --trace "$TMP/small" "$@" 2>"$TMP/err" | grep -c prev_prio >"$TMP/ours"
	check "print_$name"
}
rows json $((n + 1)) sched_switch --format json
# but many kinds of events, as JSON, are objects with all that they have
"$C" run --trace "$TMP/small" '*' --format json >"$TMP/json" 2>"$TMP/err"
python3 - "$TMP/json" "$TMP/all" >"$TMP/ours" <<'PY'
import json, re, sys

head, *rows, end = map(json.loads, open(sys.argv[1]))
lines = open(sys.argv[2], errors='replace').read().splitlines()
same = len(rows) == len(lines) and [c['name'] for c in head['columns']] == [*rows[0]] and 'losses' in end
for row, text in zip(rows, lines):
    packet, context, fields = row['packet'], row['context'], row['fields']
    time, origin, event = text.split(' ', 2)
    same &= int(time[1:-1].replace('.', '')) == row['time'] and row['origin'] == origin
    same &= event.startswith(row['event'] + ': { cpu_id = %d }, { pid = %d, tid = %d, ' %
                             (packet['cpu_id'], context['pid'], context['tid']))
    for name, value in fields.items():
        if isinstance(value, str):
            value = '"%s' % value.split('"')[0]
        if isinstance(value, str) and not re.search(r'[\\\'?]|[^ -~]', value):
            same &= any(' %s = %s%s' % (name, label, value) in event for label in ('', '( '))
        if isinstance(value, int):
            same &= any(' %s = %s' % (name, v) in event
                        for v in (str(value), '0x%X' % (value % 2**64), '0%o' % (value % 2**64)))
print(len(rows), sum(len(r['fields']) for r in rows) > 50000, same)
PY
echo "$(wc -l <"$TMP/all") True True" >"$TMP/theirs"
check print_json_of_all
rows live_name $((n + 1)) sched:sched_switch --format json
"$C" run --trace "$TMP/small" sched_switch -o "$TMP/rows.csv" 2>"$TMP/err"
wc -l <"$TMP/rows.csv" >"$TMP/ours"
echo $((n + 1)) >"$TMP/theirs"
check print_csv
for source in syscall:read 'syscall:*'; do
	"$C" run --trace "$TMP/small" "$source" --no-header 2>"$TMP/err" | wc -l >"$TMP/ours"
	"$C" run --trace "$TMP/small" "$source | count" --no-header 2>"$TMP/err" | tr -d ' ' >"$TMP/theirs"
	check "print_live_name_$source"
done
# However much is asked, and whatever options select, it is as many calls.
pid=$("$C" run --trace "$TMP/small" 'syscall:* | count by pid | top 1' --no-header 2>"$TMP/err" | awk '{ print $1 }')
for options in '--self' '--cpu 1' '--comm bash' "-p $pid"; do
	for columns in count 'count, max(duration), last(comm)'; do
		"$C" run --trace "$TMP/small" $options "syscall:* | $columns" --no-header 2>"$TMP/err" | awk '{ print $1 }'
	done >"$TMP/both"
	sed -n 1p "$TMP/both" >"$TMP/theirs"
	sed -n 2p "$TMP/both" >"$TMP/ours"
	grep -q '[1-9]' "$TMP/theirs" || echo 'some calls' >>"$TMP/theirs"
	check "print_as_many_calls_${options% *}"
done
"$C" run --trace "$TMP/small" sched_swich >"$TMP/out" 2>&1
echo "$? $(grep 'did you mean' "$TMP/out")" >"$TMP/ours"
echo "2 help: did you mean 'sched_switch'?" >"$TMP/theirs"
check print_near

# A file says at its end what it lacks, a pipe does not: standard error does.
lost() { # NAME FORMAT LINES
	"$C" run --trace "$TMP/small" --format "$2" 'syscall:* | count by comm' 2>"$TMP/err" >"$TMP/lost"
	grep '^# ' "$TMP/lost" >"$TMP/ours"
	sed 's/^/# /' "$TMP/err" >"$TMP/theirs"
	check "$1"
	"$C" run --trace "$TMP/small" --format "$2" 'syscall:* | count by comm' 2>/dev/null | grep -c '^# ' >"$TMP/ours"
	echo 0 >"$TMP/theirs"
	check "$1_pipe"
}
lost print_lost_csv csv
lost print_lost_text text
"$C" run --trace "$TMP/small" 'syscall:* | count by comm' -o "$TMP/lost" >"$TMP/both" 2>&1
grep -c '^# .* (unmatched)$' "$TMP/lost" >"$TMP/ours"
echo 1 >"$TMP/theirs"
check print_lost_option
"$C" run --trace "$TMP/small" 'syscall:* | count by comm' >"$TMP/lost" 2>&1
grep -c '(unmatched)$' "$TMP/lost" >"$TMP/ours"
check print_lost_once

# A heat map of rows is of how long they took, also if a size comes first, and says what was run.
"$C" run --trace "$TMP/small" 'syscall:read | print comm, bytes = count, duration' -o "$TMP/heat.html" 2>"$TMP/err"
grep -o '"heatName":"[^"]*"\|culprit run --trace [^ ]* &#39;syscall:read | print' "$TMP/heat.html" >"$TMP/ours"
printf '%s\n' "culprit run --trace $TMP/small &#39;syscall:read | print" '"heatName":"duration"' >"$TMP/theirs"
check print_heat
