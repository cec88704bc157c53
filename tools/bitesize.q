# disk requests: how large they are
#
# Question: is the disk slow?
#
# A histogram of the sizes of disk requests for each process that issued some.
#
#     $ culprit bitesize -d 10
#     $ culprit bitesize --disk sda --comm 'postgres*'
#
# Columns: COMM of who issued; the histogram of bytes.
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
# As large as dd asked. Much smaller ones than the program's reads: they were split, or random.
param disk: glob "this disk only"

block:block_rq_issue
| where rq.q.disk.disk_name ~ $disk
| where bytes > 0
| hist(bytes) by comm
