#!/bin/sh
# Interrupts of the whole machine, against what the system counts itself.
# test: matrix serial
. tests/live/lib
needs_bpf live_hardirqs

# Interrupts, by handler: between two looks at /proc/interrupts that lie within the run
# and two that lie around it.
interrupts() {
	awk 'NR > 1 && $1 ~ /^[0-9]+:$/ { n = 0; for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i
		printf "%s %.0f\n", $NF, n }' /proc/interrupts | sort
}
load() {
	disk=$(awk '$1 ~ "^/dev/[vsn]" && $2 == "/" { print $1 }' /proc/mounts)
	[ -b "${disk:-/dev/vda}" ] && dd if="${disk:-/dev/vda}" of=/dev/null bs=4k count=2000 iflag=direct 2>/dev/null
}
for option in -C ''; do
	interrupts >"$TMP/a"
	trace_begin hardirqs $option
	interrupts >"$TMP/b"
	load
	interrupts >"$TMP/c"
	traced INT
	interrupts >"$TMP/d"
	tab=$(printf '\t')
	: >"$TMP/wrong"
	compared=0
	while read -r handler least most; do
		got=$(sum count "hardirq=$handler")
		[ "$most" -gt 0 ] && compared=$((compared + 1))
		[ "$got" -ge "$least" ] && [ "$got" -le "$most" ] ||
			echo "$handler: $got, not $least to $most" >>"$TMP/wrong"
	done <<EOT
$(paste -d ' ' "$TMP/a" "$TMP/b" "$TMP/c" "$TMP/d" | awk '{ print $1, $6 - $4, $8 - $2 }' |
	awk '{ a[$1] += $2; b[$1] += $3 } END { for (h in a) printf "%s %.0f %.0f\n", h, a[h], b[h] }')
EOT
	if [ "$compared" = 0 ]; then
		echo "skip live_hardirqs$option: no interrupt came"
	else
		is "live_hardirqs$option" "$status $(cat "$TMP/wrong")" "0 "
	fi
done
between live_hardirqs_times "$(sum total)" 1000 180000000000
