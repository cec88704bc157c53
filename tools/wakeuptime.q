# who wakes the threads that wait, by stack
#
# Question: why does this process not run?
#
# The time that threads were blocked, by the thread that woke them and its kernel stack. When an
# interrupt wakes a thread, WAKER names it; over a trace it is the interrupted thread.
#
#     $ culprit wakeuptime -d 10
#     $ culprit wakeuptime -p 1234 -m 1ms
#     $ culprit wakeuptime -d 10 --format folded
#     $ culprit wakeuptime --in syscall:fsync --over 100ms
#
# Columns: TARGET (the thread that waited), WAKER (who woke it: a thread, `[irq NAME]`, `[softirq NAME]` or `[timer]`), STACK (of the waker), TIME (blocked),
# COUNT (how often).
#
# Example:
#
#     $ culprit wakeuptime --top 1 -- sh -c 'yes | gzip | dd of=/dev/null bs=1M count=20'
#     target = dd, waker = gzip
#     time = 58.0 s, count = 8
#         try_to_wake_up
#         autoremove_wake_function
#         __wake_up_common
#         __wake_up_sync_key
#         pipe_write
#         vfs_write
#
# Innermost first (cut): dd was blocked for 58 s in all, until gzip wrote to the pipe: gzip is the slow one.
param min m: duration "only waits of at least this"
param max M: duration "only waits of at most this"
param top:   int "show only the N longest"
param in:   source   "only inside periods of this"
param over: duration "and only of those that took this long or longer"

from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
  to sched:sched_waking on pid
| in $in over $over
| where duration >= $min | where duration <= $max
| time = sum(duration), count by target = begin.comm, waker = waker(end.current.comm), stack = end.kstack
| top $top by time if $top
| sort time
