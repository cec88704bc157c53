# disks: how many requests are open at once
#
# Question: is the disk slow?
#
# Every second, for each disk: the mean number of requests in flight (issued, not yet completed),
# like iostat's aqu-sz. It is RATE times AVERAGE.
#
#     $ culprit ioqueue
#     $ culprit ioqueue --disk sda 5
#
# Columns: DISK, REQUESTS, RATE, AVERAGE (latency), OPEN (mean number in flight).
#
# Example:
#
#     $ culprit ioqueue 2 1
#     DISK  REQUESTS  RATE(/s)  AVERAGE(us)    OPEN
#     vda         40     19.85     2811.330  0.0558
#
# 20 requests a second, 2.8 ms each: on average 0.06 are in flight (OPEN). The disk is mostly idle.
param disk: glob "only this disk"

from block:block_rq_issue to block:block_rq_complete on rq
| where begin.rq.q.disk.disk_name ~ $disk
| requests = count, rate, average = avg(duration) by disk = disk(begin.dev)
| let open = rate * average / 1s
| every 1s
