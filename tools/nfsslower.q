# NFS: operations that were slow
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# One line for each read, write, open and getattr of a file on NFS that took longer than --min. The
# time is what the program saw: network and server included. Most reads and writes are quick: the
# page cache serves them.
#
#     $ culprit nfsslower
#     $ culprit nfsslower 1 -p 1234
#
# Columns: TIME (end of the operation), COMM, PID, KIND (R read, W write, O open, G getattr), BYTES
# (read or written), OFFSET (in the file), LATENCY, FILE (its name).
#
# Example:
#
#     $ culprit nfsslower
#     culprit: nfsslower does not work here: this kernel cannot trace its functions: it has neither kprobes nor fentry
#     help: instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# This kernel lacks what the tool needs; the help says what to use instead. Elsewhere: lines like ext4slower's.
param min:  duration = 10ms "only operations slower than this (0: all); without a unit: ms"
param file: glob "only files of this name"

def operation =
	(nfs_file_read() | let kind = "R", entry = iocb.ki_filp.f_path.dentry, offset = iocb.ki_pos * 1B,
		bytes = ret > 0 ? ret * 1B : 0B),
	(nfs_file_write() | let kind = "W", entry = iocb.ki_filp.f_path.dentry, offset = iocb.ki_pos * 1B,
		bytes = ret > 0 ? ret * 1B : 0B),
	(nfs_file_open(), nfs4_file_open() | let kind = "O", entry = filp.f_path.dentry, offset = 0B, bytes = 0B),
	(nfs_getattr() | let kind = "G", entry = path.dentry, offset = 0B, bytes = 0B)

operation
| where duration >= $min
| let file = str(entry.d_name.name)
| where file ~ $file
| print time, comm, pid, kind, bytes, offset, latency = duration, file
