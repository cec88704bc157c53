# disk requests: sequential or random
#
# Question: is the disk slow?
#
# A request is sequential when it begins where the one before it on the disk ended.
#
#     $ culprit biopattern
#     $ culprit biopattern 10 6 --disk sda
#
# Columns: DISK; COUNT of requests, FOLLOWING those that were sequential, BYTES of all, SEQUENTIAL and
# RANDOM their parts.
#
# Example:
#
#     $ culprit biopattern -d 2 -- dd if=/dev/vda of=/dev/null bs=4k count=100 iflag=direct
#     DISK  COUNT  FOLLOWING   BYTES  SEQUENTIAL  RANDOM
#     vda     104         96  413696      0.9231  0.0769
#
# 92% of the requests begin where the one before ended: dd reads from the start to the end.
param disk: glob "this disk only"

from block:block_rq_complete where nr_sector > 0 on dev to block:block_rq_complete where nr_sector > 0 on dev
| where end.rq.q.disk.disk_name ~ $disk
| count, following = count where end.sector == begin.sector + begin.nr_sector,
  bytes = sum(end.nr_sector * 512B) by disk = disk(end.dev)
| let sequential = following / count, random = 1 - following / count
