# disks: how many requests are open at once
#
# Question: is the disk slow?
#
# Every second for each disk the mean number of requests that were open, from issue to
# completion, as iostat's aqu-sz: requests a second times the time that one takes.
#
#     $ culprit ioqueue
#     $ culprit ioqueue --disk sda 5
#
# Columns: DISK; REQUESTS, RATE, AVERAGE time, OPEN their mean number.
#
# Example:
#
#     $ culprit ioqueue 2 1
#     DISK  REQUESTS  RATE(/s)  AVERAGE(us)    OPEN
#     vda         40     19.85     2811.330  0.0558
#
# 20 requests a second of 2.8 ms: on average 0.06 are open (OPEN), so the disk is idle most of the time.
param disk: glob "this disk only"

from block:block_rq_issue to block:block_rq_complete on rq
| where begin.rq.q.disk.disk_name ~ $disk
| requests = count, rate, average = avg(duration) by disk = disk(begin.dev)
| let open = rate * average / 1s
| every 1s
