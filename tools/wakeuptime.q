# who wakes the threads that wait, by stack
#
# Question: why does this process not run?
#
# The time that threads were blocked, by who woke them and with which stack of the kernel. A waker
# in an interrupt has the name of what was interrupted; its stack says which.
#
#     $ culprit wakeuptime -d 10
#     $ culprit wakeuptime -p 1234 -m 1ms
#     $ culprit wakeuptime -d 10 --format folded
#
# Columns: TARGET the thread that waited, WAKER who woke it, the waker's STACK; TIME the
# thread was blocked; COUNT how often.
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
# Innermost first (cut): dd was blocked for 58 s, until gzip wrote to the pipe: gzip is the slow one.
param min m: duration "only those that took at least this"
param max M: duration "only those that took at most this"
param top:   int "the longest so many only"

from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
  to sched:sched_waking on pid
| where duration >= $min | where duration <= $max
| time = sum(duration), count by target = begin.comm, waker = end.current.comm, stack = end.kstack
| top $top by time if $top
| sort time
