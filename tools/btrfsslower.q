# btrfs: operations that were slow
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# One line for each read, write, open and fsync of a file on btrfs that took longer than --min. The
# time is what the program saw: waits for locks and disks included. Most reads and writes are quick:
# the page cache serves them.
#
#     $ culprit btrfsslower
#     $ culprit btrfsslower 1 -p 1234
#
# Columns: TIME (end of the operation), COMM, PID, KIND (R read, W write, O open, S fsync), BYTES
# (read or written), OFFSET (in the file), LATENCY, FILE (its name).
#
# Example:
#
#     $ culprit btrfsslower 1 -- dd if=/dev/zero of=/mnt/file1 bs=4k count=100 conv=fsync
#     TIME         COMM             PID     KIND                  BYTES OFFSET(bytes)  LATENCY(us) FILE
#     19:38:57.007 dd               759     O                         0             0    13904.350 file1
#     19:38:57.019 dd               759     W                      4096             0    10750.539 file1
#     19:38:57.214 dd               759     S                         0             0   138213.551 file1
#
# Of 102 operations three were slow: the open, the first write, and most of all the fsync (S).
param min:  duration = 10ms "only operations slower than this (0: all); without a unit: ms"
param file: glob "only files of this name"

def operation =
	(btrfs_file_read_iter() | let kind = "R", opened = iocb.ki_filp, offset = iocb.ki_pos * 1B,
		bytes = ret > 0 ? ret * 1B : 0B),
	(btrfs_file_write_iter() | let kind = "W", opened = iocb.ki_filp, offset = iocb.ki_pos * 1B,
		bytes = ret > 0 ? ret * 1B : 0B),
	(btrfs_file_open() | let kind = "O", opened = filp, offset = 0B, bytes = 0B),
	(btrfs_sync_file() | let kind = "S", opened = file, offset = 0B, bytes = 0B)

operation
| where duration >= $min
| let file = str(opened.f_path.dentry.d_name.name)
| where file ~ $file
| print time, comm, pid, kind, bytes, offset, latency = duration, file
