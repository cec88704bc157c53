# short-lived files
#
# Question: which files are used?
# Instead: `culprit run 'syscall:unlink* | print time, comm, str(pathname)'`: those that are removed, old ones, too
#
# One line for each file that is removed and was created since the start: how long it lived.
#
#     $ culprit filelife
#
# Columns: TIME, PID, COMM of who removed it, AGE, FILE.
#
# Example:
#
#     $ culprit filelife -- sh -c 'echo >/mnt/short; usleep 100000; rm /mnt/short'
#     TIME         PID     COMM                  AGE(us) FILE
#     19:37:33.754 365     rm                     164811.142 short
#
# It lived 0.16 s. Many such files are work for the disk that nobody needs: a tmpfs is the place for them.
from (security_inode_create().enter, vfs_create().enter) to vfs_unlink().enter on dentry
| print time, pid = end.pid, comm = end.comm, age = duration, file = str(end.dentry.d_name.name, 64)
