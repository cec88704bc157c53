#!/bin/sh
# How many requests were in flight when each was issued (biosnoop --depth), against a count of the trace's
# own issues and completions.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/web.tar.xz
"$C" run --trace "$TMP/web" 'block:block_rq_issue, block:block_rq_complete
	| print "%s %d %d %d", event, rq as u64, dev as u64, sector as u64' 2>"$TMP/err" |
	awk '$1 == "block_rq_issue" {
		if (!($2 in open)) n[$3]++
		depth[$2] = n[$3]
		open[$2] = $3
	}
	$1 == "block_rq_complete" && $2 in open { print depth[$2]; n[open[$2]]--; delete open[$2] }' >"$TMP/theirs"
"$C" biosnoop --depth --trace "$TMP/web" --format csv 2>"$TMP/err" | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "depth") at = i; next }
	{ print $at }' >"$TMP/ours"
check flight_each
sort -n "$TMP/ours" | tail -n 1 | awk '{ print ($1 > 3) }' >"$TMP/ours.many"
echo 1 >"$TMP/theirs"
mv "$TMP/ours.many" "$TMP/ours"
check flight_several

says flight_of_event 2 'is of the begin of a period with a key' run 'block:block_rq_issue | print in_flight(dev)'
says flight_of_thread 2 'is of the begin of a period with a key' run 'syscall:read | print in_flight(fd)'
says flight_twice 2 'once for a period' run \
	'from block:block_rq_issue to block:block_rq_complete on rq | print in_flight(begin.dev), in_flight(begin.sector)'
says flight_inside 2 'stands alone' run \
	'from block:block_rq_issue to block:block_rq_complete on rq | print in_flight(begin.dev) as s32'
