# btrfs: how long reads, writes, opens and fsyncs take
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:openat, syscall:fsync | hist(duration) by event'`, of all file systems
#
# A histogram for each kind of operation on files of btrfs. The time is what the program saw: page
# cache, locks and disks included.
#
#     $ culprit btrfsdist -d 10
#     $ culprit btrfsdist -p 1234 1 10
#
# Columns: OPERATION (read, write, open, fsync), the histogram.
#
# Example:
#
#     $ culprit btrfsdist -- dd if=/dev/zero of=/mnt/file bs=4k count=100 conv=fsync
#     operation = fsync
#          usecs               : count     distribution
#         268435 -> 536871     : 1        |****************************************|
#
#     operation = write
#          usecs               : count     distribution
#           16.4 -> 32.8       : 40       |****************************************|
#           32.8 -> 65.5       : 36       |************************************    |
#
# (Cut.) The writes end in the page cache after microseconds; the fsync waits for the disk, 0.3 s or more.
(btrfs_file_read_iter() | let operation = "read"),
(btrfs_file_write_iter() | let operation = "write"),
(btrfs_file_open() | let operation = "open"),
(btrfs_sync_file() | let operation = "fsync")
| hist(duration) by operation
