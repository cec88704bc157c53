# how long processes wait and sleep, by state
#
# Question: why does this process not run?
#
# For each process: the time that its threads were off the CPU, by the state in which they left it.
#
#     $ culprit schedstats -d 5
#
# Columns: COMM, PID, with --cgroups CGROUP, STATE, TIMES (how often), TOTAL, AVERAGE, LONGEST.
#
# Example:
#
#     $ culprit schedstats -- dd if=/dev/vda of=/dev/null bs=4k count=300 iflag=direct
#     COMM  PID  STATE      TIMES   TOTAL(us)  AVERAGE(us)  LONGEST(us)
#     dd    687  preempted     56  351223.221     6271.843    17867.932
#     dd    687  disk          14  143345.103    10238.936    50501.541
#     dd    687  running        1    4512.078     4512.078     4512.078
#
# dd reads a disk, but waited longer for a CPU (preempted, 0.35 s) than for the disk (0.14 s).
param cgroups: flag "a row for each cgroup, too"
param top:  int = 40 "show at most N rows"

from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid
| comm = last(begin.prev.group_leader.comm), times = count, total = sum(duration), average = avg(duration),
  longest = max(duration)
  by pid = begin.prev.tgid, cgroup = begin.cgroup if $cgroups, state = begin.prev_state
| top $top by total
| print comm, pid, cgroup if $cgroups, state, times, total, average, longest
