# disk requests one by one
#
# Question: is the disk slow?
#
# One line for each request that completes: who issued it, what it was, how long the device
# took; with -Q also how long it was queued before. Kernel threads issue most writes, long after
# the write(2). A request exists only when there is room for it in the queue: -B shows all the time
# from when the block layer got the data (its first bio) until the issue.
#
#     $ culprit biosnoop --disk sda
#     $ culprit biosnoop -Q --min 10ms
#     $ culprit biosnoop -B --min 10ms
#     $ culprit biosnoop --depth
#
# Columns: TIME (completion), COMM and PID (who issued it), DISK, KIND, SECTOR, BYTES, with --depth
# DEPTH (requests in flight on the disk when it was issued, it among them; not those from before the start, those that
# options as -p leave out, nor what the driver gave back until it is issued again. A few completions are
# not seen, on 6.18 in a virtual machine: such a request counts until its memory is used again, as restarted), with -Q QUEUED, with -B BEFORE (0 of a request without data, as a flush), LATENCY.
#
# Example:
#
#     $ culprit biosnoop -Q -- dd if=/dev/vda of=/dev/null bs=4k count=3 iflag=direct
#     TIME         COMM             PID     DISK      KIND                   SECTOR      BYTES   QUEUED(us)  LATENCY(us)
#     19:36:54.986 dd               240     vda       Sync-Read                   0       4096      589.474    21990.113
#     19:36:55.026 dd               240     vda       Sync-Read                   8       4096       55.625    15738.066
#     19:36:55.050 dd               240     vda       Sync-Read                  16       4096       51.467     8657.463
#
# The device is slow (LATENCY 9 to 22 ms); before that the requests waited little in the kernel (QUEUED).
param queued Q: flag     "show the time queued before issue, too (needs the queue's iostats)"
param before B: flag     "show the time from the block layer's first sight of it until issue"
param depth:    flag     "show how many requests were in flight on the disk when it was issued, too"
param disk:     glob     "only this disk"
param min:      duration "only requests slower than this"

# A driver without room gives a request back, to be issued again: meanwhile it is not in flight.
def issued = ((from block:block_rq_issue to (block:block_rq_complete, block:block_rq_requeue) on rq)
              | where end.event != block_rq_requeue)
             else (from block:block_rq_issue to block:block_rq_complete on rq)
# What is split goes on as a bio of its own, which the block layer does not see come.
def bio    = (from (block:block_bio_queue, block:block_split) on bio to block:block_bio_complete on bio)
def data   = issued | in bio on begin.rq.bio | let since = bio.time
def bare   = issued | where begin.rq.bio as u64 == 0 | let since = begin.time

issued if !$before, data if $before, bare if $before
| where begin.rq.q.disk.disk_name ~ $disk
| where duration >= $min
| print time, comm, pid, disk = disk(begin.dev), kind = reqflags(begin.rq.cmd_flags),
        sector = begin.sector, bytes = begin.bytes,
        depth = in_flight(begin.dev) if $depth,
        queued = begin.rq.start_time_ns ? (begin.time as u64 - begin.rq.start_time_ns) * 1ns : 0ns
                 if $queued,
        before = begin.time - since if $before,
        latency = duration
