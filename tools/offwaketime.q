# what threads wait for and who wakes them, by both stacks
#
# Question: why does this process not run?
#
# The time that threads were off the CPU, by the stack with which they left it and by the stack of
# the thread that woke them.
#
#     $ culprit offwaketime -p 1234 -d 10
#     $ culprit offwaketime -K -m 1ms
#     $ culprit offwaketime -d 10 --format folded
#     $ culprit offwaketime --in syscall:fsync --over 100ms
#
# Columns: TARGET (the thread that waited), WAKER (who woke it: a thread, `[irq NAME]`, `[softirq NAME]` or `[timer]`), STACK (of the target), WAKERSTACK,
# TIME (off the CPU), COUNT (how often).
#
# Example:
#
#     $ culprit offwaketime -K -- sh -c 'tar cf - src | gzip >/dev/null'
#     target = tar, waker = gzip
#     time = 202.7 ms, count = 60
#     stack:
#         __schedule
#         schedule
#         anon_pipe_write
#         vfs_write
#     wakerstack:
#         try_to_wake_up
#         autoremove_wake_function
#         __wake_up_common
#         __wake_up_sync_key
#         anon_pipe_read
#         vfs_read
#
# (Outer frames are cut.) tar waits to write to the full pipe until gzip has read from it: gzip is
# the slower one.
param min    m: duration "only waits of at least this"
param max    M: duration "only waits of at most this"
param kernel K: flag "only the kernel's part of the stacks"
param user   U: flag "only the program's part of the stacks"
param top:      int "show only the N longest"
param in:   source   "only inside periods of this"
param over: duration "and only of those that took this long or longer"

from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
  via sched:sched_waking on pid
  to sched:sched_switch on next_pid
| in $in over $over
| where duration >= $min | where duration <= $max
| time = sum(duration), count by target = begin.comm, waker = waker(via.current.comm),
    stack = $kernel ? begin.kstack : $user ? begin.ustack : begin.stack,
    wakerstack = $kernel ? via.kstack : $user ? via.current.ustack : via.current.stack
| top $top by time if $top
| sort time
