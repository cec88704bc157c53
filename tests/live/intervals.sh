#!/bin/sh
# How many intervals there are, and how long each was.
. tests/live/lib
needs_bpf live_intervals_of_time

"$W" getppid 1000000000 1 >/dev/null &
busy=$!

# The times are those of the ends; a rate is what came in an interval by how long that one was.
rates() { # NAME
	is "${1}_rates" "$(awk -F, '
		NR > 2 { own = $3 / (($1 - before) / 1e9); wrong += $4 < own * 0.999 || $4 > own * 1.001 }
		{ before = $1 }
		END { print (NR > 3 ? wrong : "too few") }' "$OUT")" 0
}

intervals() { # NAME HOW_MANY QUERY OPTIONS ...
	name=$1 want=$2
	shift 2
	trace run -T -p $busy "$@"
	is "$name" "$status $(cells interval | tr '\n' ' ')" "0 $(seq 0 $((want - 1)) | tr '\n' ' ')"
	rates "$name"
}

intervals live_intervals_of_time 3 'syscall:getppid | count, rate()' -i 1 -d 3
intervals live_intervals_of_count 3 'syscall:getppid | count, rate()' -i 0.5 -n 3
intervals live_intervals_of_query 3 'syscall:getppid | count, rate() | every 500ms' -d 1.5
intervals live_intervals_of_query_count 3 'syscall:getppid | count, rate() | every 500ms' -n 3
# What is left of the time is one, too.
intervals live_intervals_with_rest 3 'syscall:getppid | count, rate()' -i 0.6 -d 1.5
kill $busy

# What came before the end is in the last one, however it ends. Other tests have processes `work`.
cp "$W" "$TMP/cut_short"
trace_begin run -i 600 'syscall:getppid | count, rate()' --comm cut_short
"$TMP/cut_short" getppid 5000 2 >"$TMP/did"
traced TERM
is live_intervals_cut_short "$status $(cells interval) $(sum count)" "0 0 5000"

# Too much of the CPUs' time: it stops, says so, and what there was is shown.
trace run --budget 0.01 'syscall:getppid | count' -- "$W" getppid 30000000
is live_budget "$status $(cells count | wc -l) $(grep -c \
	"^culprit: stopped: tracing used [0-9.]*% of the CPUs' time, --budget is 0.01$" "$ERR")" "1 1 1"
