# how long threads wait for a CPU
#
# Question: is the CPU the bottleneck?
#
# A histogram of the time from when a thread becomes runnable (it is woken or preempted) until it
# runs.
#
#     $ culprit runqlat -i 1
#     $ culprit runqlat -P -p 1234
#
# Columns: with -P PID and COMM, with -L TID and THREAD (its name), with --cgroups CGROUP, with --pidns PIDNS (inode of the
# PID namespace); the histogram.
#
# Example:
#
#     $ culprit runqlat -d 3
#          usecs               : count     distribution
#           65.5 -> 131        : 72       |*****************                       |
#            131 -> 262        : 39       |*********                               |
#           4194 -> 8389       : 31       |*******                                 |
#           8389 -> 16777      : 95       |**********************                  |
#          16777 -> 33554      : 166      |****************************************|
#          33554 -> 67109      : 91       |*********************                   |
#          67109 -> 134218     : 20       |****                                    |
#
# (Cut.) Four programs compute on two CPUs: a runnable thread mostly waits 17 to 34 ms.
param processes P: flag "a histogram for each process"
param threads   L: flag "a histogram for each thread"
param cgroups:     flag "a histogram for each cgroup"
param pidns:       flag "a histogram for each PID namespace"

from (sched:sched_wakeup where p.on_cpu == 0 on pid, sched:sched_wakeup_new on pid,
      sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid)
  to sched:sched_switch on next_pid
| comm = last(end.next.group_leader.comm) if $processes, thread = last(end.next.comm) if $threads, hist(duration)
  by pid = end.next.tgid if $processes, cgroup = container(end.next.cgroups.dfl_cgrp.kn.id) if $cgroups,
     tid = end.next_pid if $threads, pidns = end.next.nsproxy.pid_ns_for_children.ns.inum if $pidns
