#!/bin/sh
# The stages that keep more than a begin, against what programs did.
# test: timeout=240
. tests/live/lib
needs_bpf live_open live_open_ended live_open_exited live_open_every live_worst

# A thread that hangs is named, one that has ended or exited is not.
trace_begin run -d 5s 'syscall:clock_nanosleep, syscall:nanosleep | open older 1s
	| print pid, comm, event, duration | where comm in ("hangs", "ends", "dies")'
mkdir "$TMP/bin"
for name in hangs ends dies; do cp "$(command -v sleep)" "$TMP/bin/$name"; done
"$TMP/bin/hangs" 20 &
hangs=$!
"$TMP/bin/ends" 1.5 &
"$TMP/bin/dies" 20 &
dies=$!
sleep 1.2
kill -9 $dies
wait $dies 2>/dev/null
traced
is live_open "$status $(cells comm) $(cells pid)" "0 hangs $hangs"
between live_open_for "$(sum duration)" 1000000000 5200000000
is live_open_ended "$(rows comm=ends)" 0
is live_open_exited "$(rows comm=dies)" 0
kill $hangs
wait $hangs 2>/dev/null

# Again and again: the same sleep is longer each time.
trace_begin run -n 3 'syscall:clock_nanosleep | where comm == "hangs" | open
	| n = count, age = max(duration) | every 500ms'
"$TMP/bin/hangs" 20 &
hangs=$!
traced
is live_open_every "$status $(rows)" "0 3"
is live_open_grows "$(cells age | sort -n | uniq | wc -l)" 3
kill $hangs
wait $hangs 2>/dev/null

# The true five of a known distribution, in order; of each interval anew.
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do cp "$(command -v sleep)" "$TMP/bin/s$i"; done
sleepers() {
	for i in 07 01 12 03 09 05 11 02 08 04 10 06; do
		"$TMP/bin/s$i" "$(awk "BEGIN { print $i / 8 }")" &
	done
	wait
}
trace_begin run -d 4s 'syscall:clock_nanosleep, syscall:nanosleep | where comm ~ "s??" | worst 5 print comm, duration'
(sleepers)
traced
is live_worst "$status $(cells comm | tr '\n' ' ')" "0 s12 s11 s10 s09 s08 "
between live_worst_duration "$(cells duration | head -n 1)" 1500000000 1900000000
trace run 'syscall:getppid | worst 1 by tid print tid' -- "$W" getppid 20000 8
is live_worst_of_8_threads "$status $(rows)" "0 1"
# Rows of many CPUs and threads are merged: what is kept is what is largest.
trace run 'syscall:getppid | worst 64 print tid, duration; syscall:getppid | max(duration)' \
	-- "$W" getppid 200000 8
is live_worst_is_max "$(sed -n 2p "$OUT" | cut -d, -f2)" "$(tail -n 1 "$OUT")"
