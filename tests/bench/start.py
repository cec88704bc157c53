#!/usr/bin/python3
"""Usage: start.py CULPRIT ROUNDS [TOOL ...]

How long each tool takes to load, attach and end, by itself: from spawn to the end of the
process, less the time for which it was to trace. Medians of the rounds, in ms: by the clock,
and on a CPU (its own time and the kernel's for it), which a busy machine changes less. As
Markdown: all tools in one line, and those that the clock says are above the bar. Ends with 1
when there is one.
"""
import os
import re
import statistics
import subprocess
import sys
import time

BAR_MS = 100
TRACED_MS = 10
UNABLE = 3          # what the tool needs is not here, as it says
SOURCE = "libc.so.6:getenv"     # for tools that must be told what to trace


def tools(culprit):
    listed = subprocess.run([culprit, "list", "tools"], capture_output=True, text=True, check=True)
    return re.findall(r"^  (\w+) ", listed.stdout, re.M)


def words_of(culprit, tool):
    shown = subprocess.run([culprit, "help", tool], capture_output=True, text=True, check=True)
    option = re.search(r"^param (\w+): *source", shown.stdout, re.M)
    return [tool] + (["--" + option.group(1), SOURCE] if option else [])


def measure(command):
    """Its exit status, ms by the clock, ms of CPUs."""
    begin = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)])
    _, status, used = os.wait4(pid, 0)
    wall_ms = (time.monotonic() - begin) * 1e3
    return (os.waitstatus_to_exitcode(status), wall_ms - TRACED_MS,
            (used.ru_utime + used.ru_stime) * 1e3)


def main():
    culprit, rounds = sys.argv[1], int(sys.argv[2])
    rows, unable = [], []
    for tool in sys.argv[3:] or tools(culprit):
        command = [culprit] + words_of(culprit, tool) + ["-d", "%dms" % TRACED_MS]
        runs = [measure(command) for _ in range(rounds)]
        if any(status for status, _, _ in runs):
            unable.append("%s (exit status %d)" % (tool, max(r[0] for r in runs)))
            continue
        rows.append((statistics.median(r[1] for r in runs), statistics.median(r[2] for r in runs), tool))
    rows.sort(reverse=True)
    slow = [r for r in rows if r[0] > BAR_MS]
    print("| load, attach and end, ms (bar %d) | by the clock | on a CPU |\n| --- | --- | --- |" % BAR_MS)
    if rows:
        print("| median of %d tools | %.0f | %.0f |" % (
            len(rows), statistics.median(r[0] for r in rows), statistics.median(r[1] for r in rows)))
    for wall_ms, cpu_ms, tool in slow or rows[:1]:
        print("| %s | %.0f%s | %.0f |" % (tool, wall_ms, ", missed" if wall_ms > BAR_MS else "", cpu_ms))
    if unable:
        print("\nNot measured here: %s." % ", ".join(unable))
    return 1 if slow or not rows else 0


sys.exit(main())
