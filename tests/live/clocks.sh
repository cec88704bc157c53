#!/bin/sh
# Inside of a time namespace the clock of programs is not the kernel's.
. tests/live/lib
needs_bpf live_timens_time live_timens_open live_timens_older
if ! unshare -T true 2>/dev/null; then
	for name in time open older; do echo "skip live_timens_$name: no time namespaces"; done
	exit 0
fi
inside() { # OFFSET_S QUERY COMMAND ...
	offset=$1
	shift
	unshare -T --monotonic "$offset" --boottime "$offset" --fork "$CULPRIT" run -d 0.5 -o "$OUT" \
		"$1" -- "$2" "$3" "$4" "$5" >"$DID" 2>"$ERR"
}

begun=$(date +%s%N)
inside -5000 'syscall:nanosleep | print time' "$W" sleep 5 20000000
ended=$(date +%s%N)
is live_timens_time "$(cells time | awk -v a="$begun" -v b="$ended" '$1 >= a && $1 <= b' | wc -l)" 5

# A call that is open at the end, for as long as the run was at most.
inside -5000 'syscall:nanosleep | open | print duration' "$W" sleep 1 20000000000
between live_timens_open "$(sum duration)" 1 "$(($(date +%s%N) - ended))"
inside 100000 'syscall:nanosleep | open older 100s | old = count' "$W" sleep 1 20000000000
is live_timens_older "$(sum old)" 0
