# which code makes disk requests, and how long they take
#
# Question: is the disk slow?
#
# The latency of disk requests, by the stack that made them: what a read, a write, a journal or a
# swap costs. The latency is the time from when a request is made until the device is done. Before
# Linux 6.5, or with iostats off, it begins when the request is queued or issued, perhaps by
# another thread: then the stack is that thread's.
#
#     $ culprit biostacks -d 10
#     $ culprit biostacks --disk sda -m 1ms
#     $ culprit biostacks -d 10 -o /tmp/disk.svg
#
# Columns: COMM and without -N PID (who made the requests), DISK, STACK, TIME (total latency), LATENCY (mean
# of one request), COUNT, BYTES.
#
# COMM is the thread's name, as in libbpf-tools' biostacks: threads with names of their own, and what a process ran before an exec, are
# rows of their own.
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
# Innermost first (cut): reads of a file on ext4, past the page cache (dio), 6.4 ms each.
param disk:   glob     "only this disk"
param min m:  duration "only requests of at least this"
param names N: flag    "a row for each program's name, not each process"
param top:    int      "show only the N with the most time"

from (block:block_io_start else block:block_rq_insert, block:block_rq_issue)
  to block:block_rq_complete on rq keep first
| where begin.rq.q.disk.disk_name ~ $disk
| where duration >= $min
| time = sum(duration), latency = avg(duration), count, bytes = sum(begin.bytes)
  by comm, pid if !$names, disk = disk(begin.dev), stack = begin.stack
| top $top by time if $top
| sort time
