#!/usr/bin/python3
"""Usage: trace.py CULPRIT REPEAT TRACE TIMES ROUNDS

Reading recorded traces, culprit beside babeltrace2 in the same run, as Markdown. TRACE is
repeated TIMES times (REPEAT is tests/bench/repeat) into a folder of its own, which goes away.
Both read from the page cache and take turns; medians of the rounds. Ends with 1 when a bar
is missed.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

DUMMY = ["babeltrace2", "-o", "dummy"]
TEXT = ["babeltrace2", "--no-delta", "--clock-seconds"]
ROWS = (    # what, culprit's words, whose events a second, how many times that at least
    ("`* \\| count by event`", ["run", "* | count by event"], DUMMY, 20),
    ("runqlat", ["runqlat"], DUMMY, 10),
    ("syscount -L", ["syscount", "-L"], DUMMY, 10),
    ("all as text", ["run", "*"], TEXT, 5),
)
MANY_KEYS = "* | count by event, tid, cpu, half = time as u64 / %d"
REPEATED_NS = 3 * 2**32     # how much later REPEAT makes the same events of TRACE
HUGE_TIMES = 12             # of the long trace: 4 GB
MEMORY_BAR_MB = 64


def private_mb(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            for line in f:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def wait_watching(p):
    """Until it has ended; the most private memory. Looking costs it time."""
    most = 0
    while True:
        try:
            p.wait(0.02)
            return most
        except subprocess.TimeoutExpired:
            most = max(most, private_mb(p.pid))


def run(command, wait=subprocess.Popen.wait):
    """Seconds by the wall clock, seconds of CPUs, what `wait` gave."""
    before, begin = os.times(), time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
        waited = wait(p)
    if p.returncode:
        sys.exit("bench: cannot run: " + " ".join(command))
    seconds, after = time.monotonic() - begin, os.times()
    cpu = (after.children_user - before.children_user +
           after.children_system - before.children_system)
    return seconds, cpu, waited


def measure(culprit, trace, events, rounds):
    kept = True
    print("| %.1f million events | culprit | | babeltrace2 | | times (bar) | by CPU time |" %
          (events / 1e6))
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for what, words, peer, bar in ROWS:
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(run([culprit] + words + ["--trace", trace]))
            theirs.append(run(peer + [trace]))
        wall, cpu = ([statistics.median(x[k] for x in v) for v in (ours, theirs)] for k in (0, 1))
        times, by_cpu = wall[1] / wall[0], cpu[1] / cpu[0]
        kept = kept and times >= bar
        print("| %s | %.2f s, %.2f s of CPU | %.1f M/s | %.2f s, %.2f s of CPU | %.2f M/s | "
              "%.1f (%d%s) | %.1f |" % (what, wall[0], cpu[0], events / wall[0] / 1e6, wall[1],
                                        cpu[1], events / wall[1] / 1e6, times, bar,
                                        "" if times >= bar else ", missed", by_cpu), flush=True)
    return kept


def count(culprit, trace, words):
    out = subprocess.run([culprit] + words + ["--trace", trace, "--format", "csv", "--no-header"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return out.decode().splitlines()


def memory(culprit, repeat, trace, times):
    """Private memory with many keys, of a trace TIMES times as long, which goes away: kept?"""
    with tempfile.TemporaryDirectory() as folder:
        long = os.path.join(folder, "trace")
        subprocess.run([repeat, trace, long, str(times)], check=True)
        words = ["run", MANY_KEYS % (times * REPEATED_NS // 2)]
        keys = len(count(culprit, long, words))
        seconds, _, most = run([culprit] + words + ["--trace", long], wait_watching)
        size = sum(os.path.getsize(os.path.join(long, f)) for f in os.listdir(long))
    print("\nPrivate memory for %d keys of %.0f MB: %.0f MB (bar %d), %.1f s." %
          (keys, size / 1e6, most, MEMORY_BAR_MB, seconds), flush=True)
    return most <= MEMORY_BAR_MB


def main(culprit, repeat, trace, times, rounds):
    folder = tempfile.mkdtemp()
    try:
        long = os.path.join(folder, "trace")
        subprocess.run([repeat, trace, long, times], check=True)
        kept = measure(culprit, long, int(count(culprit, long, ["run", "* | count"])[0]), rounds)
        kept = memory(culprit, repeat, trace, int(times)) and kept
        kept = memory(culprit, repeat, trace, int(times) * HUGE_TIMES) and kept
        return 0 if kept else 1
    finally:
        shutil.rmtree(folder)


sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])))
