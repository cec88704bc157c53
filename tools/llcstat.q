# last-level cache of the CPUs: hit rate
#
# Question: is the CPU the bottleneck?
#
# For each process: accesses to the last-level cache, and how many missed and went to memory. One
# sample for every 10,000 events. The tool needs hardware counters.
#
#     $ culprit llcstat -d 10
#
# Columns: PID, COMM, with --cgroups CGROUP, REFERENCES, MISSES, HIT (fraction of REFERENCES that hit).
#
# Example:
#
#     $ culprit llcstat -d 1
#     culprit: cannot attach to cache-references@10000
#       because: perf_event_open on CPU 0: No such file or directory
#     help: this processor, or the virtual machine, has no such counter; cpu@99hz works everywhere
#
# The usual answer in a virtual machine: its processor has no counters.
param cgroups: flag "a row for each cgroup, too"
param top:  int = 20 "show at most N rows"

(cache-references@10000 | let missed = false), (cache-misses@10000 | let missed = true)
| comm = last(comm), references = sum(period) where !missed, misses = sum(period) where missed
  by pid, cgroup if $cgroups
| let hit = 1 - misses / references
| top $top by references
| print pid, comm, cgroup if $cgroups, references, misses, hit
