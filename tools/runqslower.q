# threads that waited long for a CPU
#
# Question: is the CPU the bottleneck?
#
# One line for each wait longer than --min: from when a thread becomes runnable (it is woken or
# preempted) until it runs.
#
#     $ culprit runqslower
#     $ culprit runqslower 1ms -P
#
# Columns: TIME, COMM, TID, LATENCY, with -P PREV and PREV_TID (the thread that had
# that CPU longest during the wait; over a trace the one that ran last before).
#
# Example:
#
#     $ culprit runqslower 10ms -P -d 3
#     TIME         COMM             TID      LATENCY(us) PREV             PREV_TID
#     19:41:55.577 sh               2132       23659.277 sh               2133
#     19:41:55.581 sh               2134       14790.445 sh               2131
#     19:41:55.587 sh               2133       10570.008 sh               2132
#     19:41:55.622 sh               2132       34391.341 culprit          2105
#
# (Cut.) The shells wait for each other (PREV): several programs compute on two CPUs.
param min: duration = 10000us "only waits longer than this; without a unit: us"
param previous P: flag "show who had that CPU longest meanwhile, too"

from (sched:sched_wakeup where p.on_cpu == 0 on pid, sched:sched_wakeup_new on pid,
      sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid)
  to sched:sched_switch on next_pid
| where duration >= $min
| print time, comm = end.next.comm, tid = end.next_pid, latency = duration,
        prev = coalesce(hog(begin.time), end.prev.comm) if $previous,
        prev_tid = coalesce(hog_tid(begin.time), end.prev_pid) if $previous
