#!/bin/sh
# Who had the CPU longest during a wait, against all switches of the machine in that time.
. tests/live/lib
needs_bpf live_hog live_hog_waits
if ! command -v python3 >/dev/null; then
	for name in live_hog live_hog_waits; do echo "skip $name: no python3 (package python3)"; done
	exit 0
fi
trace run --self -d 0.5 'def wait = (from sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid
	                      to sched:sched_switch on next_pid)
	             | let place = end.cpu, since = begin.time as u64, who = hog_tid(begin.time), at = end.time as u64
	def run = sched:sched_switch | let place = current.cpu, since = 0, who = prev_pid, at = current.time as u64;
	wait, run | print place, since, who, at'
cat >"$TMP/longest.py" <<'END'
import csv, sys
runs, waits = {}, []
last = {}
rows = [(int(r["at"]), int(r["place"]), int(r["since"]), int(r["who"] or -1)) for r in csv.DictReader(open(sys.argv[1]))]
for at, cpu, since, who in sorted(rows):
    if since:
        waits.append((at, cpu, since, who))
        continue
    if cpu in last:
        runs.setdefault(cpu, []).append((last[cpu], at, who))
    last[cpu] = at
right = wrong = 0
for at, cpu, since, who in waits:
    own = [r for r in runs.get(cpu, []) if r[1] > since and r[0] < at]
    # what began before the first switch that was seen is not known
    if not own or runs[cpu][0][0] > since:
        continue
    time = {}
    for begin, end, tid in own:
        time.setdefault(tid, []).append(min(end, at) - max(begin, since))
    longest = max(max(t) for t in time.values())
    # two programs at one switch read the clock one after the other
    if max(time.get(who, [0])) >= longest - 50000:
        right += 1
    else:
        wrong += 1
        print("wait", since, at, "cpu", cpu, "said", who, time, file=sys.stderr)
print(right, wrong)
END
set -- $(python3 "$TMP/longest.py" "$OUT" 2>"$TMP/wrong")
if [ "$(loss lost)" != 0 ]; then
	echo "skip live_hog: rows were lost"
else
	is live_hog "$2" 0
fi
between live_hog_waits "$1" 1 1000000
