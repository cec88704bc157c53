#!/bin/sh
# Disk requests against what a program did to a loop device of its own, past the page
# cache: their number, place, size, kind, and the flushes.
. tests/live/lib
needs_bpf live_biolatency live_biosnoop live_biostacks live_bioslower
truncate -s 16M "$TMP/image"
if ! disk=$(losetup -f --show "$TMP/image" 2>&1); then
	for name in live_biolatency live_biosnoop live_biostacks live_bioslower; do echo "skip $name: no loop device: $disk"; done
	exit 0
fi
trap 'losetup -d $disk' EXIT
name=${disk#/dev/}
stat() { awk -v n="$1" '{ print $n }' "/sys/block/$name/stat"; }

# Rows by kind: writes begin with Sync-Write or Write, flushes hold Flush.
trace_begin run "from block:block_rq_issue to block:block_rq_complete on rq
	| where begin.rq.q.disk.disk_name == \"$name\" | count, total = sum(duration), bytes = sum(begin.bytes)
	  by kind = reqflags(begin.rq.cmd_flags)"
writes=$(stat 5) flushes=$(stat 16)
"$W" write 200 "$disk" >/dev/null
writes=$(($(stat 5) - writes)) flushes=$(($(stat 16) - flushes))
writes=$((writes - flushes))		# what asked for the flush counts as a write, too
traced INT
flushed=$(cells kind | grep -c Flush)
is live_biolatency_writes "$(awk -F, 'NR > 1 && !/Flush/ { n += $2 } END { print n + 0 }' "$OUT")" "$writes"
is live_biolatency_flushes "$(awk -F, '/Flush/ { n += $2 } END { print n + 0 }' "$OUT")" "$flushes"
is live_biolatency_as_made "$writes $flushes" "200 20"
is live_biolatency_bytes "$(sum bytes)" 819200
between live_biolatency_kinds "$flushed" 1 2

# With (dev, sector) as the key a flush finds the end of another request: its sector is 0
# at its issue and not at its completion.
for key in '(dev, sector)' rq; do
	trace_begin run "from block:block_rq_issue to block:block_rq_complete on $key
		| where begin.rq.q.disk.disk_name == \"$name\" && (begin.rq.cmd_flags & 0xff) == REQ_OP_FLUSH
		| right = count where begin.rq == end.rq, wrong = count where begin.rq != end.rq"
	"$W" write 200 "$disk" >/dev/null
	traced INT
	case $key in
	rq) is live_biolatency_flushes_right "$(sum right) $(sum wrong)" "20 0" ;;
	*) is live_biolatency_naive_is_wrong "$(sum right)" 0 ;;
	esac
done

# The tool itself: as many requests in its histograms, and in its counts.
trace_begin biolatency -F -e --disk "$name"
"$W" write 200 "$disk" >/dev/null
traced INT
buckets=$(sed 1d "$OUT" | grep -o ':[0-9]*' | awk -F: '{ n += $2 } END { print n + 0 }')
is live_biolatency_tool "$status $buckets $(sum count)" "0 220 220"

trace_begin biosnoop --disk "$name"
"$W" write 100 "$disk" >/dev/null
traced INT
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	!/Flush/ { print $at["sector"] }' "$OUT" >"$TMP/sectors"
seq 0 8 792 >"$TMP/made"
if cmp -s "$TMP/sectors" "$TMP/made"; then
	ok live_biosnoop_sectors
else
	bad live_biosnoop_sectors "$(diff "$TMP/sectors" "$TMP/made" | head -n 5)"
fi
is live_biosnoop_bytes "$(sum bytes)" 409600
is live_biosnoop_disk "$(cells disk | sort -u)" "$name"
is live_biosnoop_who "$(cells comm | grep -c '^work$')" 100
between live_biosnoop_latency "$(sum latency)" 100000 10000000000
trace_begin biostacks --disk "$name"
"$W" write 100 "$disk" >/dev/null
traced INT
is live_biostacks "$(sum bytes comm=work)" 409600
between live_biostacks_stack "$(grep -c 'pwrite64.*submit_bio' "$OUT")" 1 9
trace_begin biosnoop -Q --disk "$name"
"$W" write 10 "$disk" >/dev/null
traced INT
is live_biosnoop_queued "$status $(cells queued | grep -c '^[0-9]*$')" "0 11"
trace_begin biosnoop -B --disk "$name"
"$W" write 10 "$disk" >/dev/null
traced INT
is live_biosnoop_before "$status $(rows) $(cells before | awk '$1 > 0 && $1 < 1e10 { n++ } END { print n + 0 }')" "0 11 10"
trace_begin biosnoop --disk "$name" --min 100s
"$W" write 10 "$disk" >/dev/null
traced INT
is live_biosnoop_min "$status $(rows)" "0 0"

# From the block layer's events where the kernel's functions can't be traced.
trace_begin bioslower 0 --disk "$name"
"$W" write 100 "$disk" >/dev/null
traced INT
is live_bioslower "$status $(sum bytes comm=work)" "0 409600"
between live_bioslower_latency "$(cells latency comm=work | awk '$1 > 0 && $1 < 1e9 { n++ } END { print n + 0 }')" 100 110
