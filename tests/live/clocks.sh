#!/bin/sh
# Inside of a time namespace the clock of programs is not the kernel's.
. tests/live/lib
needs_bpf live_timens_time live_timens_open live_timens_older
if ! unshare -T true 2>/dev/null; then
	for name in time open older; do echo "skip live_timens_$name: no time namespaces"; done
	exit 0
fi
inside() { # OFFSET_S OPTIONS QUERY COMMAND ...
	offset=$1
	options=$2
	shift 2
	unshare -T --monotonic "$offset" --boottime "$offset" --fork "$CULPRIT" run $options -o "$OUT" \
		"$1" -- "$2" "$3" "$4" "$5" >"$DID" 2>"$ERR"
}

# No clock goes back behind the boot.
back=-$(awk '{ printf "%d", $1 / 2 }' /proc/uptime)
begun=$(date +%s%N)
inside $back '' 'syscall:nanosleep | print time' "$W" sleep 5 20000000
ended=$(date +%s%N)
is live_timens_time "$(cells time | awk -v a="$begun" -v b="$ended" '$1 >= a && $1 <= b' | wc -l)" 5

# A call that is open at the end, for as long as the run was at most; where the machine is busy the command
# needs longer to get there.
for seconds in 0.5 2 8 32; do
	begun=$(date +%s%N)
	inside $back "-d $seconds" 'syscall:nanosleep | open | print duration' "$W" sleep 1 60000000000
	ended=$(date +%s%N)
	[ "$(sum duration)" = 0 ] || break
done
between live_timens_open "$(sum duration)" 1 $((ended - begun))
inside 100000 "-d $seconds" 'syscall:nanosleep | open older 100s | old = count' "$W" sleep 1 60000000000
is live_timens_older "$(sum old)" 0
