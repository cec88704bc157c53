# who uses the CPUs
#
# Question: who is using the CPU?
#
# The time that each process was on a CPU, exact (from the scheduler's switches, not from samples).
#
#     $ culprit cputop
#     $ culprit cputop 5 --threads
#
# Columns: COMM, PID, with --threads TID; ONCPU the time, RUNS how often it was put on a CPU, LONGEST run.
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
# Some tracers that were starting at the time: 0.3 s of the second each, up to 44 ms without a break.
param threads: flag "by thread"
param rows: int = 20 "so many rows"

from sched:sched_switch where next_pid != 0 on next_pid to sched:sched_switch where prev_pid != 0 on prev_pid
| oncpu = sum(duration), runs = count, longest = max(duration)
  by comm = end.prev.group_leader.comm, pid = end.prev.tgid, tid = end.prev_pid if $threads
| top $rows by oncpu
| every 1s
