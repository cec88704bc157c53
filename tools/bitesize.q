# disk requests: how large they are
#
# Question: is the disk slow?
#
# A histogram of the sizes of disk requests, by the name of the process that issued them.
#
#     $ culprit bitesize -d 10
#     $ culprit bitesize --disk sda --comm 'postgres*'
#
# Columns: COMM (who issued the requests), the histogram of bytes.
#
# Example:
#
#     $ culprit bitesize -- dd if=/dev/vda of=/dev/null bs=64k count=50 iflag=direct
#     comm = dd
#          bytes               : count     distribution
#          16384 -> 32767      : 0        |                                        |
#          32768 -> 65535      : 0        |                                        |
#          65536 -> 131071     : 50       |****************************************|
#
# The requests are as large as dd's reads. Much smaller requests would mean that the reads were split or random.
param disk: glob "only this disk"

block:block_rq_issue
| where rq.q.disk.disk_name ~ $disk
| where bytes > 0
| hist(bytes) by comm
