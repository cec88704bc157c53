# locks of programs: how long threads wait
#
# Question: why does this process not run?
#
# For each lock (a futex: mutex, condition variable, ...) a histogram of the time that threads slept
# for it. Of a wait for several (futex_waitv) the lock is the first. Locks of files (flock, fcntl) are no futexes:
# `culprit slow syscall:flock`.
#
#     $ culprit futexctn -p 1234 -d 10
#     $ culprit futexctn -s -d 10
#
# Columns: without -N PID, COMM, with --cgroups CGROUP, LOCK (its address), with --variables NAME
# (state_lock+0), with -s STACK (of the waiting thread), WAITS, TOTAL, the histogram.
#
# Example:
#
#     $ culprit futexctn -- chores 20 /mnt/f1
#     pid = 408, lock = 0x4bd320
#     comm = chores, waits = 20, total = 291.4 ms
#          usecs               : count     distribution
#           2097 -> 4194       : 1        |****                                    |
#           4194 -> 8389       : 4        |*****************                       |
#           8389 -> 16777      : 9        |****************************************|
#          16777 -> 33554      : 6        |**************************              |
#
# 20 times a thread slept for the lock at this address, 15 ms on average. -s shows the code that waited.
param stacks s: flag     "a row for each stack that waits"
param names  N: flag     "a row for each program's name, not each process"
param cgroups:  flag     "a row for each cgroup, too"
param variables: flag    "names locks that are variables of the program, where it is running"
param lock:     int      "only this lock"
param min:      duration "only waits of at least this"
param top:      int = 20 "show at most N rows"

# FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI, LOCK_PI2
(syscall:futex | where (op & 0x7f) in (0, 6, 9, 11, 13) | let lock = uaddr), (syscall:futex_wait | let lock = uaddr),
(syscall:futex_waitv if !$trace | let lock = waiters.uaddr)
| where lock == $lock
| where duration >= $min
| comm = last(comm) if !$names, waits = count, total = sum(duration), hist(duration)
  by pid if !$names, comm if $names, cgroup if $cgroups, lock, name = usym(lock) if $variables,
  stack = ustack if $stacks
| top $top by total
