# what threads wait for, by stack
#
# Question: why does this process not run?
#
# The time that threads were off the CPU, by the stack with which they left it. The stack shows what
# they waited for, or where they were preempted. The longest time comes last.
#
#     $ culprit offcputime -p 1234 -d 10
#     $ culprit offcputime --state 2 -m 1ms
#     $ culprit offcputime -d 10 --format folded
#     $ culprit offcputime --in syscall:fsync --over 100ms
#
# Columns: without -N PID, with -L TID, COMM, with --cgroups CGROUP, STACK, TIME (off the CPU), COUNT (how often).
#
# COMM is the thread's name, as in bcc's offcputime: threads with names of their own, and what a process ran before an exec, are
# rows of their own.
#
# Example:
#
#     $ culprit offcputime -K --state 2 --top 1 -- dd if=/dev/vda of=/dev/null bs=4k count=300 iflag=direct
#     pid = 372, comm = dd
#     time = 188.0 ms, count = 274
#         __schedule
#         schedule
#         schedule_timeout
#         io_schedule_timeout
#         __wait_for_common
#         submit_bio_wait
#         __blkdev_direct_IO_simple
#         blkdev_read_iter
#         vfs_read
#
# Innermost first (cut): 274 of 300 reads waited for the disk (submit_bio_wait), 0.7 ms each.
param min       m: duration "only waits of at least this"
param max       M: duration "only waits of at most this"
param state:       int  "only this state: 0 preempted, 1 sleeping, 2 disk, 4 stopped, 8 traced, or a sum"
param kernel    K: flag "only the kernel's part of the stack"
param user      U: flag "only the program's part of the stack"
param names     N: flag "a row for each program's name, not each process"
param cgroups:     flag "a row for each cgroup"
param threads   L: flag "a row for each thread"
param top:         int  "show only the N longest"
param in:   source   "only inside periods of this"
param over: duration "and only of those that took this long or longer"

from sched:sched_switch where prev_pid != 0
       && ($state == 0 && prev_state in (running, preempted) || ($state & 1) != 0 && prev_state == sleeping
           || ($state & 2) != 0 && prev_state == disk || ($state & 4) != 0 && prev_state == stopped
           || ($state & 8) != 0 && prev_state == traced) on prev_pid
  to sched:sched_switch on next_pid
| in $in over $over
| where duration >= $min | where duration <= $max
| time = sum(duration), count by pid = begin.pid if !$names, tid = begin.tid if $threads, comm = begin.comm,
    cgroup = begin.cgroup if $cgroups,
    stack = $kernel ? begin.kstack : $user ? begin.ustack : begin.stack
| top $top by time if $top
| sort time
