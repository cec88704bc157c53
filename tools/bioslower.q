# disk requests that were slow to submit
#
# Question: is the disk slow?
#
# One line for each request whose submission took longer than --min. Causes: a full queue, a
# cgroup's limit, a stacked device. biosnoop shows how long the disk then takes.
#
# Where the kernel's functions can't be traced, it is the time until the request has a place in the
# disk's queue: without a cgroup's limit, which holds a request back before the first event of it,
# and without disks that have no queue (device mapper, zram).
#
#     $ culprit bioslower
#     $ culprit bioslower 100us -s --disk vda
#
# Columns: TIME (end of the submission), COMM and PID (the submitter), DISK, KIND, SECTOR, BYTES, LATENCY.
#
# Example:
#
#     $ culprit bioslower 0 -- dd if=/dev/vda of=/dev/null bs=4k count=3 iflag=direct
#     TIME         COMM             PID     DISK                     KIND                   SECTOR      BYTES  LATENCY(us)
#     19:37:00.601 dd               247     vda                      Sync-Read                   0       4096    21306.651
#     19:37:00.602 dd               247     vda                      Sync-Read                   8       4096      248.079
#     19:37:00.606 dd               247     vda                      Sync-Read                  16       4096      130.707
#
# Submitting the first request took 21 ms. The kernel spent this time, not the disk: see runqslower.
param min:    duration = 1ms "only requests slower than this (0: all); without a unit: ms"
param sync s: flag "only requests that somebody waits for: reads, synchronous writes, flushes"
param disk:   glob "only this disk"

# What has no queue ends with its completion: no row.
def bio = (from block:block_bio_queue
             to (block:block_getrq, block:block_bio_backmerge, block:block_bio_frontmerge, block:block_bio_complete) on bio)
          | where end.event != block_bio_complete

submit_bio_noacct() else bio
| where duration >= $min
| let disk = begin.bio.bi_bdev.bd_disk.disk_name, flags = begin.bio.bi_opf
| where disk ~ $disk
| let waited = (1 << (__REQ_SYNC as u32) | 1 << (__REQ_FUA as u32) | 1 << (__REQ_PREFLUSH as u32))
| where $sync && ((flags & 0xff) == (REQ_OP_READ as u32) || (flags & waited) != 0)
| print time, comm = begin.current.comm, pid = begin.current.pid, disk, kind = reqflags(flags),
        sector = begin.bio.bi_iter.bi_sector, bytes = begin.bio.bi_iter.bi_size * 1B, latency = duration
