# xfs: operations that were slow
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# One line for each read, write, open and fsync of a file on xfs that took longer than --min. The
# time is what the program saw: waits for locks and disks included. Most reads and writes are quick:
# the page cache serves them.
#
#     $ culprit xfsslower
#     $ culprit xfsslower 1 -p 1234
#
# Columns: TIME (end of the operation), COMM, PID, KIND (R read, W write, O open, S fsync), BYTES
# (read or written), OFFSET (in the file), LATENCY, FILE (its name).
#
# Example:
#
#     $ culprit xfsslower 1 -- dd if=/dev/zero of=/mnt/file bs=4k count=100 conv=fsync
#     TIME         COMM             PID     KIND                  BYTES OFFSET(bytes)  LATENCY(us) FILE
#     19:44:03.102 dd               2210    W                      4096             0    93891.310 file
#     19:44:03.498 dd               2210    W                      4096        241664   218591.811 file
#     19:44:04.026 dd               2210    W                      4096        323584   525835.899 file
#     19:44:04.539 dd               2210    S                         0             0   510276.851 file
#
# (Cut.) Writes wait up to 0.5 s: the disk is busy. The fsync (S) takes as long.
param min:  duration = 10ms "only operations slower than this (0: all); without a unit: ms"
param file: glob "only files of this name"

def operation =
	(xfs_file_read_iter() | let kind = "R", opened = iocb.ki_filp, offset = iocb.ki_pos * 1B,
		bytes = ret > 0 ? ret * 1B : 0B),
	(xfs_file_write_iter() | let kind = "W", opened = iocb.ki_filp, offset = iocb.ki_pos * 1B,
		bytes = ret > 0 ? ret * 1B : 0B),
	(xfs_file_open() | let kind = "O", opened = file, offset = 0B, bytes = 0B),
	(xfs_file_fsync() | let kind = "S", opened = file, offset = 0B, bytes = 0B)

operation
| where duration >= $min
| let file = str(opened.f_path.dentry.d_name.name)
| where file ~ $file
| print time, comm, pid, kind, bytes, offset, latency = duration, file
