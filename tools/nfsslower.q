# NFS: operations that were slow
#
# Question: does this program wait for its files?
# Instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# One line for each read, write, open and attribute of a file on NFS that took longer than MIN:
# with the network and the server, as the program saw it. Most reads and writes are served by
# the page cache and are quick.
#
#     $ culprit nfsslower
#     $ culprit nfsslower 1 -p 1234
#
# Columns: TIME of the end, COMM, PID, KIND (R read, W write, O open, G attributes), BYTES that
# were read or written, OFFSET in the file, LATENCY, FILE its name.
#
# Example:
#
#     $ culprit nfsslower
#     culprit: nfsslower does not work here: this kernel cannot trace its functions: it has neither kprobes nor fentry
#     help: instead: `culprit run 'syscall:read, syscall:write, syscall:fsync | where duration > 10ms | print time, comm, event, duration, path(file(fd))'`
#
# A kernel without what the tool needs, and what to use instead. Elsewhere it shows lines as ext4slower's.
param min:  duration = 10ms "slower than this only (0: all); a bare number is ms"
param file: glob "files of this name only"

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
