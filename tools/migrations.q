# threads that are moved between CPUs
#
# Question: who is using the CPU?
#
# How often each thread was moved to another CPU.
#
#     $ culprit migrations -i 1
#
# Columns: COMM, TID, MIGRATIONS, LAST (the CPU to which it moved last).
#
# Example:
#
#     $ culprit migrations -d 3 --top 4
#     COMM        TID   MIGRATIONS  LAST
#     sh          2131           5     0
#     sh          2132           5     0
#     sh          2133           4     0
#     khugepaged  41             3     1
#
# Four shells compute on two CPUs. Each moves once or twice a second, each time to cold caches.
param top:  int = 20 "show at most N rows"

sched:sched_migrate_task
| comm = last(p.comm), migrations = count, last = last(dest_cpu) by tid = p.pid
| top $top by migrations
| print comm, tid, migrations, last
