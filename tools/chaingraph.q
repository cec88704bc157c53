# who woke the waker: what a wait was really for
#
# Question: why does this process not run?
#
# The time that threads were off the CPU, by the stack with which they left it and by the chain
# of wakers: who woke the thread, who woke that waker, and so on, up to 8. The chain ends at an
# interrupt, a softirq or a timer. For each waker its latest wake-up counts. Who lost the CPU without
# waiting for anything has `[preempted by NAME]`, the thread that took it (swapper: none, the thread's
# cgroup had used its share up).
#
#     $ culprit chaingraph -d 10
#     $ culprit chaingraph -p 1234 -m 1ms
#     $ culprit chaingraph -d 10 -o /tmp/chain.svg
#     $ culprit chaingraph -K -S -d 10 --format folded
#     $ culprit chaingraph --in syscall:fsync --over 100ms
#
# Columns: without -N PID, COMM, STACK (where the thread left the CPU), with -S WAKERSTACK (with which the nearest waker
# woke it; the wakers further on have names only), WAKERS (the nearest first), TIME (off the CPU), COUNT (how often).
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
# tar was blocked for 4.7 s, and gzip woke it: the pipe was full. gzip is the slow one.
param min    m: duration "only waits of at least this"
param max    M: duration "only waits of at most this"
param kernel K: flag "only the kernel's part of the stack"
param names  N: flag "a row for each program's name, not each process"
param wakers W: flag "show the wakers without the stack"
param stacks S: flag "show the stack of the nearest waker, too"
param top:      int "show only the N longest"
param in:   source   "only inside periods of this"
param over: duration "and only of those that took this long or longer"

# Nobody wakes a thread that only lost the CPU.
def blocked   = (from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
                   via sched:sched_waking on pid if $stacks
                   to sched:sched_switch on next_pid)
                | let chain = wakers(end.next_pid)
def preempted = (from sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid
                   via sched:sched_waking on pid if $stacks
                   to sched:sched_switch on next_pid)
                | let chain = preempted_by(begin.next.comm)

blocked, preempted
| in $in over $over
| where duration >= $min | where duration <= $max
| time = sum(duration), count by pid = begin.pid if !$names, comm = begin.comm,
    stack = $kernel ? begin.kstack : begin.stack if !$wakers, wakerstack = $kernel ? via.kstack : via.stack if $stacks, wakers = chain
| top $top by time if $top
| sort time
