# who uses the CPUs
#
# Question: who is using the CPU?
#
# Every second: the time that each process was on a CPU. It is exact: from context switches, not samples.
#
#     $ culprit cputop
#     $ culprit cputop 5 --threads
#     $ culprit cputop -C
#
# Columns: COMM, PID, with --threads TID, with --cgroups CGROUP, with -C only CPU, ONCPU (time on a CPU), PERCENT (of one CPU),
# RUNS (how often it ran), LONGEST (run). A run counts when it ends, with all its time: one that began before the second
# makes PERCENT more than 100. What runs already at the start of a
# trace, or at its --begin, is counted from there on; what runs when live tracing begins, from its next run on.
#
# Example:
#
#     $ culprit cputop 1 1 --top 4
#     COMM  PID     ONCPU(us)  PERCENT  RUNS  LONGEST(us)
#     awk   12356  240295.559    23.95    75     5340.830
#     make  27404  203838.922    20.32    60     6938.990
#     cc1   27379  180868.009    18.03    57     6905.647
#     cc1   27361  102643.063    10.23    33     4309.332
#
# Somebody compiles: each compiler used up to 18% of a CPU, at most 7 ms without a break.
param threads: flag "a row for each thread"
param cgroups: flag "a row for each cgroup, too"
param cpus C: flag "a row for each CPU instead of each process"
param top:  int = 20 "show at most N rows"

# A rate is of rows: with it comes the length of the interval. A process may change its name.
from (sched:sched_switch where next_pid != 0 on next_pid, cpu@start where tid != 0 on tid if $trace)
  to sched:sched_switch where prev_pid != 0 on prev_pid
| comm = last(end.prev.group_leader.comm) if !$cpus, oncpu = sum(duration), rate, runs = count, longest = max(duration)
  by cpu = end.cpu if $cpus, pid = end.prev.tgid if !$cpus, tid = end.prev_pid if $threads,
  cgroup = end.cgroup if $cgroups
| let percent = 100 * oncpu / 1s * rate / runs
| top $top by oncpu
| print cpu if $cpus, comm if !$cpus, pid if !$cpus, tid if $threads, cgroup if $cgroups, oncpu, percent, runs, longest
| every 1s
