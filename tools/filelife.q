# short-lived files
#
# Question: which files are used?
# Instead: `culprit run 'syscall:unlink* | where ret == 0 | print time, comm, str(pathname)'`: all files that are removed
#
# One line for each file that was created and removed while the tool runs: how long it lived.
# Calls that fail are not shown.
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
from (  # FMODE_CREATED: this open made the file
      security_file_open().enter where (file.f_mode & 0x100000) != 0 on file.f_path.dentry,
      vfs_create().return where ret == 0 on dentry)
  to vfs_unlink().return where ret == 0 on dentry
| print time, pid = end.pid, comm = end.comm, age = duration, file = str(end.dentry.d_name.name, 64)
