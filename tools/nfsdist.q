# NFS: how long reads, writes, opens and attributes take
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:openat, syscall:fsync | hist(duration) by event'`, of all file systems
#
# A histogram for each kind of operation on files of NFS. The time is what the program saw: page
# cache, network and server included.
#
#     $ culprit nfsdist -d 10
#     $ culprit nfsdist -p 1234 1 10
#
# Columns: OPERATION (read, write, open, getattr), the histogram.
#
# Example:
#
#     $ culprit nfsdist -- dd if=/dev/zero of=/nfs/file bs=4k count=100 conv=fsync
#     operation = write
#          usecs               : count     distribution
#           16.4 -> 32.8       : 77       |****************************************|
#           32.8 -> 65.5       : 15       |*******                                 |
#           65.5 -> 131        : 3        |*                                       |
#          16777 -> 33554      : 1        |                                        |
#          33554 -> 67109      : 2        |*                                       |
#
# (Cut.) Most writes end in the page cache; three waited 17 to 67 ms, for the network and the server.
(nfs_file_read() | let operation = "read"),
(nfs_file_write() | let operation = "write"),
(nfs_file_open(), nfs4_file_open() | let operation = "open"),
(nfs_getattr() | let operation = "getattr")
| hist(duration) by operation
