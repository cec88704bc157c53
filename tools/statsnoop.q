# stat(2) and similar calls
#
# Question: which files are used?
#
# One line for each stat, lstat, fstatat, statx and statfs with a path. What io_uring asks for (statx) makes
# no such call: it is not shown.
#
#     $ culprit statsnoop -x
#     $ culprit statsnoop --comm 'make*'
#
# Columns: TIME, PID, COMM, ERR (why it failed), with -c CALL, PATH.
#
# Example:
#
#     $ culprit statsnoop -x -- ls /etc/shop.conf
#     TIME         PID     COMM             ERR          PATH
#     19:37:58.376 497     ls               ENOENT       /etc/shop.conf
#
# ls looks for a file that does not exist (ENOENT).
param failed x: flag "only failed calls"
param call   c: flag "show the system call, too"

def stats  = syscall:stat, syscall:lstat, syscall:newstat, syscall:newlstat, syscall:newfstatat, syscall:statx, syscall:statfs
stats
| where ret < 0 if $failed
| print time, pid, comm, err = errno(ret), call = event if $call, path = coalesce(str(filename), str(pathname))
