# disk requests: sequential or random
#
# Question: is the disk slow?
#
# A request is sequential when it begins where the previous request on that disk ended.
#
#     $ culprit biopattern
#     $ culprit biopattern 10 6 --disk sda
#
# Columns: DISK, COUNT (requests), FOLLOWING (sequential requests), BYTES (of all requests),
# SEQUENTIAL and RANDOM (fractions of COUNT).
#
# Example:
#
#     $ culprit biopattern -d 2 -- dd if=/dev/vda of=/dev/null bs=4k count=100 iflag=direct
#     DISK  COUNT  FOLLOWING   BYTES  SEQUENTIAL  RANDOM
#     vda     100         99  409600      0.9900  0.0100
#
# 99% of the requests begin where the previous one ended: dd reads from the start to the end.
param disk: glob "only this disk"

block:block_rq_complete
| where nr_sector > 0
| where rq.q.disk.disk_name ~ $disk
| count, following = sequential(sector, sector + nr_sector), bytes = sum(nr_sector * 512B) by disk = disk(dev)
| let sequential = following / count, random = 1 - following / count
