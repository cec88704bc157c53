# which code makes disk requests, and how long they take
#
# Question: is the disk slow?
#
# The latency of disk requests by the stack that made them, from then until the device is
# done: what a read, a write, a journal or a swap costs. Where the kernel does not tell when
# one is made (before 6.5, or with iostats off) it is when it was queued or issued, perhaps by
# another thread.
#
#     $ culprit biostacks -d 10
#     $ culprit biostacks --disk sda -m 1ms
#     $ culprit biostacks -d 10 -o /tmp/disk.svg
#
# Columns: COMM and PID of who made it, DISK, the STACK; TIME of all its requests, LATENCY of
# one on average, COUNT, BYTES.
#
# Example:
#
#     $ culprit biostacks --top 1 -- dd if=/mnt/www/big of=/dev/null bs=4k count=20 iflag=direct
#     comm = dd, pid = 241, disk = vda
#     time = 127.6 ms, latency = 6.4 ms, count = 20, bytes = 80.0 KiB
#         blk_account_io_start
#         blk_mq_submit_bio
#         __submit_bio
#         submit_bio_noacct_nocheck
#         iomap_dio_bio_iter
#         __iomap_dio_rw
#         iomap_dio_rw
#         ext4_file_read_iter
#         vfs_read
#
# Innermost first (cut): read(2) of a file on ext4, past the page cache (dio), 6.4 ms each.
param disk:   glob     "this disk only"
param min m:  duration "only requests that took at least this"
param top:    int      "those with the most time only"

from (block:block_io_start else block:block_rq_insert, block:block_rq_issue)
  to block:block_rq_complete on rq keep first
| where begin.rq.q.disk.disk_name ~ $disk
| where duration >= $min
| time = sum(duration), latency = avg(duration), count, bytes = sum(begin.bytes)
  by comm, pid, disk = disk(begin.dev), stack = begin.stack
| top $top by time if $top
| sort time
