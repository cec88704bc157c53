# slow reads and writes of files
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# One line for each read or write of a file, on any file system, that took longer than --min.
#
#     $ culprit fileslower
#     $ culprit fileslower 1ms -a
#
# Columns: TIME, COMM, TID, KIND (vfs_read or vfs_write), BYTES, LATENCY, FILE.
#
# Example:
#
#     $ culprit fileslower 0.1 -- dd if=/dev/zero of=/mnt/ext2 bs=1M count=4
#     TIME         COMM             TID     KIND                  BYTES  LATENCY(us) FILE
#     19:37:13.576 dd               304     vfs_write           1048576   127303.921 /mnt/ext2
#     19:37:13.948 dd               304     vfs_write           1048576   372150.915 /mnt/ext2
#     19:37:14.047 dd               304     vfs_write           1048576    97838.430 /mnt/ext2
#     19:37:14.146 dd               304     vfs_write           1048576    99168.534 /mnt/ext2
#
# Each write of 1 MB takes 0.1 s, one takes 0.4 s. syncsnoop and biosnoop show whether the disk was slow.
param min: duration = 10ms "only calls slower than this; without a unit: ms"
param all a: flag "include sockets, pipes and devices"

vfs_read(), vfs_write()
| where duration >= $min
| where (file.f_inode.i_mode & 0170000) == 0100000 if !$all
| print time, comm, tid, kind = event, bytes = count, latency = duration, file = path(file)
