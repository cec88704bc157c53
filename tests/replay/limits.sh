#!/bin/sh
# Tables over a trace are as large as they need, or as --table-size and --max-open say.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/small.tar.xz

# NAME OPTIONS...: rows of the first TIDs that there is room for, the rest in (other)
rows() {
	name=$1
	shift
	"$C" run --trace "$TMP/small" 'sched_switch | count by next_tid' "$@" --format csv --no-header \
		2>"$TMP/err" | grep -v '^#' | sort >"$TMP/ours"
	check "limits_$name"
}
"$C" run --trace "$TMP/small" 'sched_switch' 2>"$TMP/err" |
	sed -n 's/.* next_tid = \([0-9]*\), .*/\1/p' >"$TMP/tids"
for most in 10 100000; do
	awk -v most=$most '{ if (!($1 in n) && seen < most) { n[$1] = 0; seen++ }
		if ($1 in n) n[$1]++; else other++ }
		END { for (t in n) print t "," n[t]; if (other) print "(other)," other }' "$TMP/tids" |
		sort >"$TMP/theirs.$most"
done
cp "$TMP/theirs.10" "$TMP/theirs"
rows ten --table-size 10
dropped=$(sed -n 's/^culprit: \([0-9]*\) rows found the table full .*/\1/p' "$TMP/err")
grep '^(other)' "$TMP/theirs" >"$TMP/theirs.other"
echo "(other),$dropped" >"$TMP/ours"
mv "$TMP/theirs.other" "$TMP/theirs"
check limits_dropped
cp "$TMP/theirs.100000" "$TMP/theirs"
rows none
rows enough --table-size 1000
rows begins_are_others --max-open 1

# a begin that finds no room is counted
says limits_open 0 'begins of sched_wakeup to sched_switch found no room: --max-open' run --trace "$TMP/small" \
	'from sched_wakeup on tid to sched_switch on next_tid | count' --max-open 1
