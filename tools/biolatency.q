# disk requests: how long they take
#
# Question: is the disk slow?
#
# A histogram of the time from a request's issue to the device until its completion. With -Q the
# time begins when the kernel queues the request.
#
#     $ culprit biolatency -D
#     $ culprit biolatency -Q -i 1 -n 10
#
# Columns: with -D DISK, with -F FLAGS (Read, Sync-Write, Flush, ...); the histogram; with -e
# AVERAGE time, TOTAL time and COUNT.
#
# Example:
#
#     $ culprit biolatency -D -- dd if=/dev/vda of=/dev/null bs=4k count=200 iflag=direct
#     disk = vda
#          usecs               : count     distribution
#           32.8 -> 65.5       : 12       |****                                    |
#           65.5 -> 131        : 104      |****************************************|
#            131 -> 262        : 49       |******************                      |
#            262 -> 524        : 14       |*****                                   |
#            524 -> 1049       : 1        |                                        |
#           1049 -> 2097       : 4        |*                                       |
#           2097 -> 4194       : 17       |******                                  |
#
# Two groups: most requests are quick (a cache), some wait 2 to 4 ms. A mean would show neither.
param disks  D: flag "a histogram for each disk"
param flags  F: flag "a histogram for each kind of request"
param queued Q: flag "include the time that requests are queued in the kernel"
param extended e: flag "show mean, sum and count, too"
param disk:     glob "only this disk"

# With an I/O scheduler a request is inserted, then issued; without one only issued.
from (block:block_rq_insert if $queued,
      block:block_rq_issue where !($queued && rq.q.elevator)) to block:block_rq_complete on rq
| where begin.rq.q.disk.disk_name ~ $disk
| hist(duration), average = avg(duration) if $extended, total = sum(duration) if $extended, count if $extended
  by disk = disk(begin.dev) if $disks, flags = reqflags(begin.rq.cmd_flags) if $flags
