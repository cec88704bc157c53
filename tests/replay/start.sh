#!/bin/sh
# cputop counts what runs already at --begin, or at a trace's start, from there on: against the switches,
# all of which are read here, also those before.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/small.tar.xz
"$C" run --trace "$TMP/small" \
	'sched:sched_switch | print "%d %d %d %d", time as u64, cpu, prev_pid, next_pid' >"$TMP/switches" 2>"$TMP/err"
first=$("$C" run --trace "$TMP/small" '*' 2>"$TMP/err" | sed -n '1s/^\[\([0-9]*\)\.\([0-9]*\)\].*/\1\2/p')

compare() { # NAME BEGIN ARGUMENTS...
	name=$1 begin=$2
	shift 2
	# 64-bit times: awk counts from the trace's first event on
	awk -v first="$first" -v begin="$begin" '
	function since(t) { return (substr(t, 1, 10) - substr(first, 1, 10)) * 1e9 + substr(t, 11) - substr(first, 11) }
	BEGIN { b = since(begin) }
	NF == 4 {
		t = since($1)
		if (t >= b && $3) {
			from = $2 in on ? on[$2] : began[$2]
			if (from < b) from = b
			spent[$3] += t - from
			runs[$3]++
		}
		on[$2] = t
	}
	END { for (p in spent) print p, spent[p], runs[p] }' "$TMP/switches" | sort >"$TMP/theirs"
	"$C" cputop --trace "$TMP/small" "$@" --threads -i 1000 --top 10000 --format csv 2>"$TMP/err" |
		awk -F, 'NR > 1 { print $4, $5, $7 }' | sort >"$TMP/ours"
	check "start_$name"
}
# where a thread runs, a millisecond before it leaves its CPU
for line in 50 200 400; do
	begin=$(awk -v line=$line 'NR >= line && $3 && since[$2] && substr($1, 11) + 0 > 2000000 &&
		$1 - since[$2] > 2000000 { print substr($1, 1, 10) sprintf("%09d", substr($1, 11) - 1000000); exit }
		{ since[$2] = $1 }' "$TMP/switches")
	compare begin_$line "$begin" --begin "$begin"
done
# without --begin: where the CPU's own events begin
"$C" run --trace "$TMP/small" 'cpu@start | print "%d %d", time as u64, cpu' 2>"$TMP/err" | sort -k 2 |
	awk 'NR == FNR { if (!($2 in switched)) switched[$2] = $1; next }
	{ print $2, $1 <= switched[$2], switched[$2] - $1 < 1e9 }' "$TMP/switches" - >"$TMP/ours"
printf '%d 1 1\n' 0 1 2 3 >"$TMP/theirs"
check start_whole
"$C" run --trace "$TMP/small" --begin "$begin" 'cpu@start | print "%d", time as u64' 2>"$TMP/err" |
	sort | uniq -c | tr -s ' ' >"$TMP/ours"
echo " 4 $begin" >"$TMP/theirs"
check start_each_cpu
tar -C "$TMP" -xf $traces/ust-host.tar.xz
says start_not_told 3 'the trace has no sched_switch' run 'cpu@start | count' --trace "$TMP/ust-host"
says start_live 2 'cpu@start is of a recorded trace' run 'cpu@start | count'
