# short-lived files
#
# Question: which files are used?
# Instead: `culprit run 'syscall:unlink* | print time, comm, str(pathname)'`: all files that are removed
#
# One line for each file that was created and removed while the tool runs: how long it lived.
#
#     $ culprit filelife
#
# Columns: TIME, PID and COMM (who removed it), AGE, FILE.
#
# Example:
#
#     $ culprit filelife -- sh -c 'echo >/mnt/short; usleep 100000; rm /mnt/short'
#     TIME         PID     COMM                  AGE(us) FILE
#     19:37:33.754 365     rm                     164811.142 short
#
# The file lived 0.16 s. Many such files make the disk work for nothing: put them on a tmpfs.
from (security_inode_create().enter, vfs_create().enter) to vfs_unlink().enter on dentry
| print time, pid = end.pid, comm = end.comm, age = duration, file = str(end.dentry.d_name.name, 64)
