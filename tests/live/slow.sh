#!/bin/sh
# The tool slow over system calls and user functions with known shares.
. tests/live/lib
needs_bpf live_slow_calls live_slow_sums live_slow_all live_slow_state live_slow_state_name live_slow_nothing live_slow_function \
	live_slow_part_count live_slow_part_time live_slow_suggest live_slow_suggest_pasted live_slow_suggest_applied \
	live_slow_states_add_up live_slow_interrupts live_slow_locks live_slow_locks_time \
	live_slow_of_events

# 3 sleeps of 800 ms between 20 of 1 ms: those are the slow ones, and they sleep.
cat >"$TMP/load" <<EOT
$W sleep 10 1000000
$W sleep 3 800000000
$W sleep 10 1000000
EOT
"$CULPRIT" slow syscall:nanosleep wait state --over 700ms --format json -o "$TMP/json" -- \
	sh "$TMP/load" >/dev/null 2>"$ERR"
status=$?
is live_slow_calls "$status $(grep -c '^{"time":.*"duration":' "$TMP/json") $(
	grep -c '"slow":true,"calls":3,' "$TMP/json") $(grep -c '"slow":false,"calls":20,' "$TMP/json")" "0 3 1 1"
is live_slow_sums "$(sed -n 's/^{"time":.*"duration":\([0-9]*\),"wait.time":\([0-9]*\),"wait.count":[0-9]*,"other":\([0-9]*\).*/\1 \2 \3/p' "$TMP/json" |
	awk '$1 == $2 + $3 && $2 > 600000000 { n++ } END { print n + 0 }')" 3
# All slow calls together, to the ns; the drawing has their mean, too.
is live_slow_all "$(sed -n 's/^{"time":.*"duration":\([0-9]*\),"wait.time":\([0-9]*\),.*/\1 \2/p' "$TMP/json" |
	awk '{ d += $1; w += $2 } END { printf "%.0f %.0f\n", d, w }')" "$(
	sed -n 's/.*"slow":true,.*"sum(duration)":\([0-9]*\),.*"sum(wait.time)":\([0-9]*\),.*/\1 \2/p' "$TMP/json")"
# The states beside the part are the duration by themselves, and what waited slept.
is live_slow_state "$(sed -n '/^{"time"/ { s/.*"duration"/"duration"/; s/"[a-z.]*count":[0-9]*,*//g; s/[^0-9,]//g; p; }' "$TMP/json" |
	awk -F, '{ all = 0; for (i = 4; i <= NF; i++) all += $i } $1 == all && $8 > 600000000 && $8 <= $2 { n++ } END { print n + 0 }')" 3
"$CULPRIT" slow syscall:nanosleep disk state -d 0.1 >"$TMP/text" 2>&1
is live_slow_state_name "$? $(sed -n 's/^culprit: [^ ]* \(.*\) \[.*/\1/p' "$TMP/text")" \
	"2 a part and a state have the name 'disk'"

# Nothing was slow: the largest is told.
"$CULPRIT" slow syscall:nanosleep --over 10s -- "$W" sleep 3 1000000 >"$TMP/text" 2>"$ERR"
is live_slow_nothing "$? $(grep -c '^no call took 10.0 s: of 3 the longest took .*; a lower --over' "$TMP/text")" "0 1"

# Functions: of a program, made of a system call, and of another function, whose time is
# between what it measures inside and around its calls.
"$CULPRIT" slow "$W:work_sleep" syscall:nanosleep --format json -o "$TMP/json" -- \
	"$W" sleep 4 5000000 >/dev/null 2>"$ERR"
is live_slow_function "$? $(grep -c '^{"time":.*"nanosleep.count":4,' "$TMP/json") $(
	grep -c '"slow":true,"calls":1,.*"sum(nanosleep.count)":4,' "$TMP/json")" "0 1 1"
calls=$B/tests/work/calls
"$CULPRIT" slow "$calls:main" "$calls:timed" --format json -o "$TMP/json" -- \
	"$calls" timed 5 3000000 >"$DID" 2>"$ERR"
status=$?
set -- $(sed -n 's/^{"time":.*"timed.time":\([0-9]*\),"timed.count":\([0-9]*\),"other":.*/\1 \2/p' "$TMP/json")
is live_slow_part_count "$status ${2-}" "0 5"
between live_slow_part_time "${1:-0}" $(awk '$1 == "timed" { print $4, $5 }' "$DID")

# Two events that both have a process of their own: the begin's is shown.
"$CULPRIT" slow '(from sched:sched_process_exec to sched:sched_process_exit on tid)' --over 1us --format json -o "$TMP/json" -- \
	sh -c 'echo $$; exec /bin/true' >"$DID" 2>"$ERR"
is live_slow_of_events "$? $(grep -c "^{.*\"comm\":\"true\",\"pid\":$(cat "$DID")," "$TMP/json")" "0 1"

# What to split by: of request() fetch() has the most, in it doze(), in it a system call.
"$CULPRIT" slow --follow "$calls:request" --over 20ms -- "$calls" nested 6 4000000 \
	>"$TMP/text" 2>"$ERR"
status=$?
command=$(grep '^culprit slow ' "$TMP/text")
is live_slow_suggest "$status $(awk '/CALLEE OF/ { getline; sub(".*/", "", $NF); print $NF }' "$TMP/text" |
	head -n 2 | tr '\n' ' ')$(echo "$command" | grep -o 'syscall:clock_nanosleep')" \
	"0 calls:fetch calls:doze syscall:clock_nanosleep"
[ "$status" = 0 ] || cat "$ERR" "$TMP/text"
# The command works as it is; -a runs it at once. fetch is drawn for each of the 6 slow calls
# (a quick one can be slow, too, where others want the CPU) and twice at the end.
drawn() { [ "$(grep -c '^ *fetch ' "$1")" -ge 8 ] && echo yes; }
culprit() { "$CULPRIT" "$@"; }
eval "${command:-false}" >"$TMP/split" 2>"$ERR"
is live_slow_suggest_pasted "$? $(drawn "$TMP/split")" "0 yes"
"$CULPRIT" slow -a "$calls:request" --over 20ms -- "$calls" nested 6 4000000 \
	>"$TMP/text" 2>"$ERR"
status=$?
sed -n '/^culprit slow /,$p' "$TMP/text" >"$TMP/split"
is live_slow_suggest_applied "$status $(drawn "$TMP/split")" "0 yes"

# The states are the duration, also with what runs on top of a program that computes: its CPU's timer.
"$CULPRIT" slow "$W:work_spin" --over 1us --format json -o "$TMP/json" -- "$W" spin 200 >/dev/null 2>"$ERR"
status=$?
is live_slow_states_add_up "$status $(sed -n 's/.*"slow":true,.*"sum(duration)":\([0-9]*\),.*/\1/p' "$TMP/json")" "0 $(
	calculate "$(grep '"slow":true' "$TMP/json" | grep -o '"sum([a-z]*\.time)":[0-9]*' | cut -d: -f2 | paste -s -d + -)")"
is live_slow_interrupts "$(grep -c '"slow":true,.*"sum(irq.time)":[1-9][0-9]*,"sum(irq.count)":[1-9]' "$TMP/json")" 1

# --locks: what the states say of locks, by where they were taken, but for the interrupts on top of the waits, and spinlocks
# inside of them.
# Only a disk lets the others wait.
find_disk
if [ -d /sys/kernel/tracing/events/lock ] && [ -n "$on_disk" ]; then
	trap 'rm -rf "$on_disk"' EXIT
	"$CULPRIT" slow syscall:pwrite64 --locks --over 1us --format json -o "$TMP/json" -- \
		"$W" convoy 5 "$on_disk/file" >/dev/null 2>"$ERR"
	is live_slow_locks "$? $(grep '"lock":"0x.*"name":"down_write"' "$TMP/json" | grep -vc spin_lock_slowpath)" "0 1"
	of() { sed -n 's/.*"slow":true,.*"sum('"$1"'.time)":\([0-9]*\),.*/\1/p' "$TMP/json"; }
	locks() { sed -n '$s/.*/0/p; /"name":"[^"]*'"$1"'/s/^{"query":3,.*"time":\([0-9]*\),.*/\1/p' "$TMP/json" | paste -s -d + -; }
	between live_slow_locks_time "$(calculate "$(locks)")" "$(calculate "$(of lock) + $(of spinning)")" \
		"$(calculate "$(of lock) + $(of spinning) + $(of softirq) + $(of irq) + $(locks spin_lock_slowpath)")"
else
	echo "skip live_slow_locks live_slow_locks_time: no events of locks before 5.19, or the files are on no disk"
fi
