# ext4: how long reads, writes, opens and fsyncs take
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:openat, syscall:fsync | hist(duration) by event'`, of all file systems
#
# A histogram for each kind of operation on files of ext4. The time is what the program saw: page
# cache, locks and disks included.
#
#     $ culprit ext4dist -d 10
#     $ culprit ext4dist -p 1234 1 10
#
# Columns: OPERATION (read, write, open, fsync), the histogram.
#
# Example:
#
#     $ culprit ext4dist -- dd if=/dev/zero of=/mnt/ext bs=4k count=100 conv=fsync
#     operation = fsync
#          usecs               : count     distribution
#          33554 -> 67109      : 1        |****************************************|
#
#     operation = write
#          usecs               : count     distribution
#           16.4 -> 32.8       : 74       |****************************************|
#           32.8 -> 65.5       : 17       |*********                               |
#
# (Cut.) Writes end in the page cache after 30 us; the fsync waits for the disk, 1,000 times longer.
(ext4_file_read_iter() | let operation = "read"),
(ext4_file_write_iter() | let operation = "write"),
(ext4_file_open() | let operation = "open"),
(ext4_sync_file() | let operation = "fsync")
| hist(duration) by operation
