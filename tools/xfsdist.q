# xfs: how long reads, writes, opens and fsyncs take
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:openat, syscall:fsync | hist(duration) by event'`, of all file systems
#
# A histogram for each kind of operation on files of xfs. The time is what the program saw: page
# cache, locks and disks included.
#
#     $ culprit xfsdist -d 10
#     $ culprit xfsdist -p 1234 1 10
#
# Columns: OPERATION (read, write, open, fsync), the histogram.
#
# Example:
#
#     $ culprit xfsdist -- dd if=/dev/zero of=/mnt/file1 bs=4k count=100 conv=fsync
#     operation = fsync
#          usecs               : count     distribution
#         134218 -> 268435     : 1        |****************************************|
#
#     operation = write
#          usecs               : count     distribution
#           16.4 -> 32.8       : 48       |****************************************|
#           32.8 -> 65.5       : 36       |******************************          |
#
# (Cut.) Writes end in the page cache after microseconds; the fsync waits for the disk, 0.1 s or more.
(xfs_file_read_iter() | let operation = "read"),
(xfs_file_write_iter() | let operation = "write"),
(xfs_file_open() | let operation = "open"),
(xfs_file_fsync() | let operation = "fsync")
| hist(duration) by operation
