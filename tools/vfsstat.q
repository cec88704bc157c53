# reads, writes, opens, ... a second, of all file systems
#
# Question: does this program wait for its files?
# Instead: `culprit syscount`: system calls
#
# Every second: how often files were read, written, synced, opened, created and removed, on all file
# systems. Calls that fail do not count.
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
table read   = (vfs_read().return | count where ret >= 0), write = (vfs_write().return | count where ret >= 0),
      fsync  = (vfs_fsync_range().return | count where ret == 0), open = (vfs_open().return | count where ret == 0),
      create = (vfs_create().return | count where ret == 0), unlink = (vfs_unlink().return | count where ret == 0),
      # a pointer since Linux 6.15: an error is one of the last 4095 addresses
      mkdir  = (vfs_mkdir().return | count where ret as s64 >= 0 || ret as s64 < -4095),
      rmdir  = (vfs_rmdir().return | count where ret == 0)
| every 1s
