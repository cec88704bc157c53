# who woke the waker: what a wait really waited for
#
# Question: why does this process not run?
#
# The time that threads were blocked, by the stack with which they left the CPU, and by who
# woke them, who woke that one, and so on, up to 8, until an interrupt, a softirq or a timer: behind
# that there is no thread. Each waker is the one that its own thread was woken by last.
#
#     $ culprit chaingraph -d 10
#     $ culprit chaingraph -p 1234 -m 1ms
#     $ culprit chaingraph -d 10 -o /tmp/chain.svg
#
# Columns: PID, COMM, the STACK with which it left the CPU, the WAKERS from the nearest on;
# TIME it was blocked; COUNT how often.
#
# Example:
#
#     $ culprit chaingraph -W --top 1 -- sh -c 'tar cf - /job | gzip >/dev/null'
#     pid = 691, comm = tar
#     time = 4.7 s, count = 252
#         gzip
#         tar
#         sh
#         [softirq RCU]
#
# tar was blocked for 4.7 s, and it was gzip that woke it: the pipe was full, gzip is the slow one.
param min    m: duration "only those that took at least this"
param max    M: duration "only those that took at most this"
param kernel K: flag "the kernel's part of the stack alone"
param wakers W: flag "without the stack"
param top:      int "the longest so many only"

from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
  to sched:sched_switch on next_pid
| where duration >= $min | where duration <= $max
| time = sum(duration), count by pid = begin.pid, comm = begin.comm,
    stack = $kernel ? begin.kstack : begin.stack if !$wakers, wakers = wakers(end.next_pid)
| top $top by time if $top
| sort time
