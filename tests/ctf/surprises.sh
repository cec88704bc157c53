#!/bin/sh
# What surprised those who recorded the traces beside the repository: a test for each of the
# fifteen, by its number in their README. The truth is babeltrace2's text of the same trace.
C=$CULPRIT
traces=${TRACES:-../shared/traces}
if [ ! -d $traces ]; then
	echo "skip surprises: no $traces"
	exit
fi
if ! command -v babeltrace2 >/dev/null; then
	echo "skip surprises: no babeltrace2 (package babeltrace2)"
	exit
fi
for name in small net sched ust-host ust-pid rotsess snapshot compact; do
	mkdir "$TMP/$name"
	tar -xJf $traces/$name.tar.xz -C "$TMP/$name"
	TZ=UTC babeltrace2 --no-delta --clock-seconds "$TMP/$name" >"$TMP/$name.txt" 2>/dev/null
done
python3 tests/ctf/writer.py "$TMP/made"

ask() { # TRACE QUERY ...: its rows
	trace=$1
	shift
	"$C" run --trace "$TMP/$trace" "$@" --format csv --no-header 2>"$TMP/err"
}
same() { # NAME OURS THEIRS
	if [ -n "$2" ] && [ "$2" = "$3" ]; then
		echo "ok surprise_$1"
	else
		echo "$2"
		echo "# and not"
		echo "$3"
		head -n 3 "$TMP/err"
		echo "not ok surprise_$1"
	fi
}

# 1: received bytes; the trace calls it net_if_receive_skb, the kernel netif_receive_skb
theirs=$(awk '/ net_if_receive_skb:/ { match($0, /, len = [0-9]+/); n++
		sum += substr($0, RSTART + 8, RLENGTH - 8) } END { print n "," sum }' \
	"$TMP/net.txt")
same 01_received_bytes "$(ask net 'net:netif_receive_skb | count, sum(len)')" "$theirs"
same 01_received_by_its_own_name "$(ask net 'net_if_receive_skb | count, sum(len)')" "$theirs"

# 2: system calls that the tracer has no name for: what their number means here
same 02_unknown_calls "$(ask small 'syscall:getrandom, syscall:arch_prctl, syscall:rseq | count by event' |
	LC_ALL=C sort | tr '\n' ' ')" \
	"$(for call in 158:arch_prctl 318:getrandom 334:rseq; do
		echo "${call#*:},$(grep -F ' syscall_exit_unknown:' "$TMP/small.txt" |
			grep -cF "{ id = ${call%:*}, ret")"
	done | tr '\n' ' ')"

# 3: all of it, not only where streams overlap; times with any number of digits
same 03_no_intersection "$(ask rotsess '* | count')" "$(wc -l <"$TMP/rotsess.txt")"
first=$(sed -n '1s/\[\([0-9]*\)\..*/\1/p' "$TMP/net.txt")
for digits in 0 50 500000000; do
	same "03_fraction_of_$digits" \
		"$(ask net '* | count' --begin "$((first + 1)).$digits" --end "$((first + 1)).75")" \
		"$(awk -F'[][]' -v b="$((first + 1)).$(echo "${digits}000000000" | cut -c 1-9)" \
			-v e="$((first + 1)).750000000" '$2 >= b && $2 <= e' "$TMP/net.txt" | wc -l)"
done

# 4: clocks of one uuid whose offsets differ
same 04_offsets_differ "$("$C" run --trace "$TMP/ust-pid" '*' 2>/dev/null | cut -d ' ' -f 1-3 | sha256sum)" \
	"$(cut -d ' ' -f 1-3 "$TMP/ust-pid.txt" | sha256sum)"

# 5: what packets say of themselves; snapshots that have the same ones, an empty index
same 05_packets_by_cpu "$(ask small '* | count by cpu' | sort | tr '\n' ' ')" \
	"$(sed 's/.*: { cpu_id = \([0-9]*\) }.*/\1/' "$TMP/small.txt" | sort | uniq -c |
		awk '{ printf "%s,%s ", $2, $1 }')"
same 05_snapshots "$(ask snapshot '* | count')" 66161

# 6: fields without the underscore that the metadata has before them
same 06_names "$(ask small 'sched_switch | where next_tid == 0 | count')" \
	"$(grep -F ' sched_switch:' "$TMP/small.txt" | grep -cF ' next_tid = 0,')"

# 7: variants in variants, arrays of structures, 4 bits, big-endian, ids above 1200
"$C" run --trace "$TMP/net" 'net_*' >"$TMP/ours" 2>/dev/null
same 07_variants "$(sha256sum <"$TMP/ours")" "$(grep -F ' net_' "$TMP/net.txt" | sha256sum)"
"$C" run --trace "$TMP/small" 'syscall_*_*poll*' >"$TMP/ours" 2>/dev/null
same 07_nested "$(sha256sum <"$TMP/ours")" \
	"$(grep -E ' syscall_[a-z]*_[a-z_]*poll' "$TMP/small.txt" | sha256sum)"

# 8: events of one name of several providers are several
same 08_providers "$(ask ust-host '*:build_id, *:debug_link | count by event' | sort)" \
	"$(grep -aoE ' lttng_ust_[a-z]*:(build_id|debug_link): ' "$TMP/ust-host.txt" | sort | uniq -c |
	   sed 's/ *\([0-9]*\)  *\(.*\): /\2,\1/' | sort)"

# 8: a value with two labels, a range, none; text that ends in the middle of a character
"$C" run --trace "$TMP/ust-host" 'shop:order_end' >"$TMP/ours" 2>/dev/null
same 08_labels "$(sha256sum <"$TMP/ours")" \
	"$(grep -aF ' shop:order_end:' "$TMP/ust-host.txt" | sha256sum)"
same 08_two_labels "$(grep -cF '"IDLE", "AUTO" : container = 0' "$TMP/ours")" 18
same 08_extremes "$(ask ust-host 'shop:types | max(u64), min(i64)')" \
	18446744073709551615,-9223372036854775808
"$C" run --trace "$TMP/ust-host" 'shop:types' >"$TMP/ours" 2>/dev/null
same 08_empty_sequence "$(grep -acF 'seqhex = [ ]' "$TMP/ours")" \
	"$(grep -acF 'seqhex = [ ]' "$TMP/ust-host.txt")"
# cut in the middle: no valid UTF-8
same 08_cut_character "$(grep -aF 'seqtext = "fixed-text-' "$TMP/ours" | iconv -f UTF-8 >/dev/null 2>&1
	echo $?)" 1

# 9: a priority is the kernel's less 100
same 09_priorities "$(ask sched 'sched_switch | count by prev_prio' | sort -n | tr '\n' ' ')" \
	"$(sed -n 's/.* sched_switch:.* prev_prio = \([-0-9]*\),.*/\1/p' "$TMP/sched.txt" | sort -n |
		uniq -c | awk '{ printf "%s,%s ", $2, $1 }')"

# 10: what a process does is its own, not that of the shell that it was before execve
same 10_names_after_exec "$(ask small 'syscall:read | where comm == "dd" | count by comm')" \
	"dd,$(grep -F ' syscall_exit_read:' "$TMP/small.txt" | grep -cF 'procname = "dd"')"

# 11: they are often packed: one that still is gets a sentence
"$C" run --trace $traces/small.tar.xz '* | count' >"$TMP/ours" 2>&1
same 11_packed "$? $(grep -c 'a file, not a folder' "$TMP/ours")" "1 1"

# 12: lost events are one line, lost packets another, and the results come
"$C" run --trace "$TMP/made/lost" '* | count' --format csv --no-header >"$TMP/ours" 2>"$TMP/err"
same 12_losses_are_counted "$(grep -v "^# " "$TMP/ours") $(grep -c "^culprit: 10 events .* lost\|^culprit: 2 packets .* lost" "$TMP/err") $(grep -c lost "$TMP/err")" "3 2 2"

# 13: an event that is declared and never happens counts 0; one that is not is said to lack
same 13_never_happens "$(ask small 'power:cpu_frequency | count')" 0
"$C" run --trace "$TMP/compact" 'power:cpu_frequency | count' >"$TMP/ours" 2>&1
same 13_is_not_there "$? $(grep -c 'list events --trace' "$TMP/ours")" "2 1"

# 14: a trace of a tracer that stopped in the middle is whole all the same
same 14_complete "$(ask ust-pid '* | count')" 592

# 15: one value has no deviation
same 15_one_value "$(ask small 'syscall:fsync | count, stddev(duration)')" 1,0
