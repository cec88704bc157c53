# processes a second
#
# Question: what is started, and how does it end?
#
# Every second: how many processes and threads were started.
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
# 187 a second is much: an idle machine starts a few. execsnoop shows which programs they run.
sched:sched_process_fork
| processes = count where child.pid as s32 == child.tgid as s32, threads = count where child.pid as s32 != child.tgid as s32
| every 1s
