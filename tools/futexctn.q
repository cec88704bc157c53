# locks of programs: how long threads wait
#
# Question: why does this process not run?
#
# For each lock (a futex: mutex, condition variable, ...) a histogram of the time that threads slept
# for it.
#
#     $ culprit futexctn -p 1234 -d 10
#     $ culprit futexctn -s -d 10
#
# Columns: COMM, PID, LOCK (its address), with -s STACK (of the waiting thread), WAITS, TOTAL, the histogram.
#
# Example:
#
#     $ culprit futexctn -- chores 20 /mnt/f1
#     comm = chores, pid = 408, lock = 0x4bd320
#     waits = 20, total = 291.4 ms
#          usecs               : count     distribution
#           2097 -> 4194       : 1        |****                                    |
#           4194 -> 8389       : 4        |*****************                       |
#           8389 -> 16777      : 9        |****************************************|
#          16777 -> 33554      : 6        |**************************              |
#
# 20 times a thread slept for the lock at this address, 15 ms on average. -s shows the code that waited.
param stacks s: flag     "a row for each stack that waits"
param lock:     int      "only this lock"
param min:      duration "only waits of at least this"
param top:      int = 20 "show at most N rows"

syscall:futex
| where (op & 0x7f) in (0, 6, 9, 11)
| where uaddr == $lock
| where duration >= $min
| waits = count, total = sum(duration), hist(duration) by comm, pid, lock = uaddr, stack = ustack if $stacks
| top $top by total
