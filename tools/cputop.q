# who uses the CPUs
#
# Question: who is using the CPU?
#
# Every second: the time that each process was on a CPU. It is exact: from context switches, not samples.
#
#     $ culprit cputop
#     $ culprit cputop 5 --threads
#
# Columns: COMM, PID, with --threads TID, ONCPU (time on a CPU), RUNS (how often it ran), LONGEST (run).
#
# Example:
#
#     $ culprit cputop 1 1 --rows 4
#     COMM         PID   ONCPU(us)  RUNS  LONGEST(us)
#     culprit      818  306764.944    56    40448.690
#     culprit      822  275459.285    57    26865.116
#     culprit      839  220359.722    24    43931.272
#     culprit      853  209665.923    23    23616.226
#
# Four tracers were starting: each used up to 0.3 s of the second, at most 44 ms without a break.
param threads: flag "a row for each thread"
param rows: int = 20 "show at most N rows"

from sched:sched_switch where next_pid != 0 on next_pid to sched:sched_switch where prev_pid != 0 on prev_pid
| oncpu = sum(duration), runs = count, longest = max(duration)
  by comm = end.prev.group_leader.comm, pid = end.prev.tgid, tid = end.prev_pid if $threads
| top $rows by oncpu
| every 1s
