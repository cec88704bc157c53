# processes a second
#
# Question: what is started, and how does it end?
#
# How many processes and threads are started in each second.
#
#     $ culprit pidpersec
#
# Columns: PROCESSES, THREADS.
#
# Example:
#
#     $ culprit pidpersec -i 1 -n 1
#     PROCESSES  THREADS
#           187        0
#
# A machine at rest starts a few processes a second: execsnoop says which these are.
sched:sched_process_fork
| processes = count where child.pid as s32 == child.tgid as s32, threads = count where child.pid as s32 != child.tgid as s32
| every 1s
