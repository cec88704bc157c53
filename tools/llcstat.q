# the last level of the CPUs' caches: how often it serves
#
# Question: is the CPU the bottleneck?
#
# For each process the accesses of the last level of cache and how many of them had to go to
# memory, from a sample every 10000. It needs the counters of a real processor.
#
#     $ culprit llcstat -d 10
#
# Columns: PID, COMM; REFERENCES, MISSES, HIT the part that was served.
#
# Example:
#
#     $ culprit llcstat -d 1
#     culprit: cannot attach to cache-references@10000
#       because: perf_event_open on CPU 0: No such file or directory
#     help: this processor, or the virtual machine, has no such counter; cpu@99hz works everywhere
#
# The usual answer of a virtual machine: its processor shows no counters.
param rows: int = 20 "so many rows"

table references = (cache-references@10000 | sum(period) by pid, comm),
      misses     = (cache-misses@10000 | sum(period) by pid, comm)
| let hit = 1 - misses / references
| top $rows by references
