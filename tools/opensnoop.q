# files as they are opened, and why not
#
# Question: which files are used?
#
# One line for each open(2), openat(2) and openat2(2): the process, the file
# descriptor it got (-1: none) or the error, and the path as it was given.
#
#     $ culprit opensnoop -x
#     $ culprit opensnoop --comm 'nginx*' -d 10
#
# Columns: with -U UID, PID, COMM, FD, ERR, with -e FLAGS and MODE as numbers, PATH.
#
# Example:
#
#     $ culprit opensnoop -x -- cat /etc/shop.conf
#     PID     COMM                   FD ERR          PATH
#     498     cat                    -1 ENOENT       /etc/shop.conf
#
# It looks for a file that is not there (ENOENT): often the reason why a setting has no effect.
param failed   x: flag "failed opens only"
param extended e: flag "flags and mode, too"
param show_uid U: flag "the user, too"
param path     F: glob "paths that match only"
param flag     f: int  "opens with one of these flag bits only (O_WRONLY is 1, O_RDWR 2)"

syscall:open, syscall:openat, syscall:openat2
| where ret < 0 if $failed
| where (flags & $flag) != 0
| let path = str(filename)
| where path ~ $path
| print uid if $show_uid, pid, comm, fd = ret < 0 ? -1 : ret, err = errno(ret),
        flags if $extended, mode if $extended, path
