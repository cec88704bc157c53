# how long threads stay on the CPU, or off it
#
# Question: why does this process not run?
#
# A histogram of how long threads run before they leave the CPU; with -O of how long they are off
# the CPU before they run again.
#
#     $ culprit cpudist -d 5
#     $ culprit cpudist -O -P
#
# Columns: with -P PID and COMM, with -L TID and THREAD (its name), with --cgroups CGROUP; the histogram; with -e
# AVERAGE time, TOTAL time and COUNT.
#
# Example:
#
#     $ culprit cpudist -- dd if=/dev/zero of=/dev/null bs=1M count=300
#          usecs               : count     distribution
#            524 -> 1049       : 1        |***                                     |
#           1049 -> 2097       : 3        |*********                               |
#           2097 -> 4194       : 2        |******                                  |
#           4194 -> 8389       : 13       |****************************************|
#           8389 -> 16777      : 2        |******                                  |
#          16777 -> 33554      : 2        |******                                  |
#
# dd never waits, but runs for only 4 to 8 ms at a time: other threads want the CPU, too.
param offcpu    O: flag "measure the time off the CPU instead"
param processes P: flag "a histogram for each process"
param threads   L: flag "a histogram for each thread"
param cgroups:     flag "a histogram for each cgroup"
param extended  e: flag "show mean, sum and count, too"

def running = (from sched:sched_switch where next_pid != 0 on next_pid to sched:sched_switch on prev_pid)
              | let process = end.prev.tgid, leader = end.prev.group_leader.comm,
                    thread = end.prev_pid, name = end.prev.comm, group = end.prev.cgroups.dfl_cgrp.kn.id if $cgroups
def away    = (from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid)
              | let process = end.next.tgid, leader = end.next.group_leader.comm,
                    thread = end.next_pid, name = end.next.comm, group = end.next.cgroups.dfl_cgrp.kn.id if $cgroups
running if !$offcpu, away if $offcpu
| comm = last(leader) if $processes, thread = last(name) if $threads, hist(duration), average = avg(duration) if $extended, total = sum(duration) if $extended, count if $extended
  by pid = process if $processes, cgroup = container(group) if $cgroups, tid = thread if $threads
