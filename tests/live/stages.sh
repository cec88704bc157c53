#!/bin/sh
# The stages that keep more than a begin, against what programs did.
. tests/live/lib
needs_bpf live_open live_open_ended live_open_exited live_open_every live_worst

# A thread that hangs is named, one that has ended or exited is not.
trace_begin run 'syscall:clock_nanosleep, syscall:nanosleep | open older 1s
	| print pid, comm, event, duration | where comm in ("hangs", "ends", "dies")'
begin_ns=$(date +%s%N)
mkdir "$TMP/bin"
for name in hangs ends dies; do cp "$(command -v sleep)" "$TMP/bin/$name"; done
"$TMP/bin/hangs" 600 &
hangs=$!
"$TMP/bin/dies" 600 &
dies=$!
await $hangs grep -q nanosleep /proc/$hangs/wchan
await $dies grep -q nanosleep /proc/$dies/wchan
"$TMP/bin/ends" 1.2
kill -9 $dies
wait $dies 2>/dev/null
traced INT
is live_open "$status $(cells comm) $(cells pid)" "0 hangs $hangs"
between live_open_for "$(sum duration)" 1000000000 $(($(date +%s%N) - begin_ns))
is live_open_ended "$(rows comm=ends)" 0
is live_open_exited "$(rows comm=dies)" 0
kill $hangs
wait $hangs 2>/dev/null

# Again and again: the same sleep is longer each time.
trace run -n 3 'syscall:clock_nanosleep | where comm == "hangs" | open
	| n = count, age = max(duration) | every 1s' -- "$TMP/bin/hangs" 600
is live_open_every "$status $(rows)" "0 3"
is live_open_grows "$(cells age | sort -n | uniq | wc -l)" 3

# The true five of a known distribution, in order; of each interval anew.
for i in 01 02 03 04 05 06 07 08 09 10 11 12; do cp "$(command -v sleep)" "$TMP/bin/s$i"; done
sleepers() {
	for i in 07 01 12 03 09 05 11 02 08 04 10 06; do
		"$TMP/bin/s$i" "$(awk "BEGIN { print $i / 8 }")" &
	done
	wait
}
trace_begin run 'syscall:clock_nanosleep, syscall:nanosleep | where comm ~ "s??" | worst 5 print comm, duration'
begin_ns=$(date +%s%N)
(sleepers)
end_ns=$(date +%s%N)
traced INT
is live_worst "$status $(cells comm | tr '\n' ' ')" "0 s12 s11 s10 s09 s08 "
between live_worst_duration "$(cells duration | head -n 1)" 1500000000 $((end_ns - begin_ns))
trace run 'syscall:getppid | worst 1 by tid print tid' -- "$W" getppid 20000 8
is live_worst_of_8_threads "$status $(rows)" "0 1"
# Rows of many CPUs and threads are merged: what is kept is what is largest.
trace run 'syscall:getppid | worst 64 print tid, duration; syscall:getppid | max(duration)' \
	-- "$W" getppid 200000 8
is live_worst_is_max "$(sed -n 2p "$OUT" | cut -d, -f2)" "$(tail -n 1 "$OUT")"

# The parts of a row add up to its duration, to the nanosecond.
unequal() { # PARTS: names; prints how many rows there are and how many don't add up
	awk -F, -v parts="$1" '
		{ gsub(/"/, "") }
		NR == 1 {
			for (i = 1; i <= NF; i++) { name = $i; sub(/_ns$/, "", name); at[name] = i }
			n = split(parts, part, " ")
			next
		}
		{
			sum = 0
			for (i = 1; i <= n; i++) if ((part[i] ".time") in at) sum += $at[part[i] ".time"]
			if ("other" in at) sum += $at["other"]
			if ("overlap" in at) sum -= $at["overlap"]
			bad += sum != $at["duration"]
			rows++
		}
		END { print (rows > 100 ? "many" : rows + 0), bad + 0 }' "$OUT"
}
states='running runnable disk uninterruptible sleeping stopped throttled lock spinning softirq irq'
trace run 'syscall:nanosleep | split state | print duration, parts' -- "$W" sleep 1000 1000000
is live_split_state_sleep "$status $(unequal "$states")" "0 many 0"
between live_split_state_sleeping "$(sum sleeping.time)" 900000000 "$(calculate "1000 * ($(said sleep 3) + 1)")"
trace run 'syscall:* | split state | print duration, parts' -- "$W" pingpong 1000
is live_split_state_all "$status $(unequal "$states")" "0 many 0"

# Switches of the thread and waits of it for a CPU, as parts that end elsewhere.
off='off = (from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)'
woken='woken = (from sched:sched_waking on pid to sched:sched_switch on next_pid)'
trace run "syscall:* | split $off, $woken | print duration, parts" -- "$W" sleep 1000 1000000
is live_split_overlap "$status $(unequal 'off woken')" "0 many 0"

# The event that ends row and part ends the part first, and begins the next row.
trace run 'from syscall:nanosleep.return to syscall:nanosleep.return
	| split nap = syscall:nanosleep | print duration, parts' -- "$W" sleep 500 1000000
is live_split_part_ends_with_row "$status $(unequal nap) $(rows) $(sum nap.count)" "0 many 0 499 499"
