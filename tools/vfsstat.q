# reads, writes, opens, ... a second, of all file systems
#
# Question: does this program wait for its files?
# Instead: `culprit syscount`: system calls
#
# Every second: how often files were read, written, synced, opened, created and removed, on all file
# systems.
#
#     $ culprit vfsstat
#     $ culprit vfsstat -p 1234 5
#
# Columns: READ, WRITE, FSYNC, OPEN, CREATE, UNLINK, MKDIR, RMDIR (calls).
#
# Example:
#
#     $ culprit vfsstat 1 1
#     READ  WRITE  FSYNC  OPEN  CREATE  UNLINK  MKDIR  RMDIR
#     1261     24      4     7       0       2      1      1
#
# 1,261 reads and 24 writes. Each of the 4 FSYNC calls waits for a disk: they may take the most time.
table read   = (vfs_read().enter | count), write = (vfs_write().enter | count),
      fsync  = (vfs_fsync_range().enter | count), open = (vfs_open().enter | count),
      create = (vfs_create().enter | count), unlink = (vfs_unlink().enter | count),
      mkdir  = (vfs_mkdir().enter | count), rmdir = (vfs_rmdir().enter | count)
| every 1s
