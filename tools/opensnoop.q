# files that are opened, and errors of open
#
# Question: which files are used?
#
# One line for each open, creat, openat, openat2 and open_by_handle_at: the process, the file
# descriptor (-1: none), the error, and the path as given (- of open_by_handle_at), with -F behind
# the folder that a relative one begins at. What io_uring opens makes no such call: it is not shown.
#
#     $ culprit opensnoop -x
#     $ culprit opensnoop -F --path '*.conf'
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
# cat looks for a file that does not exist (ENOENT). This is often why a setting has no effect.
param failed   x: flag "only failed opens"
param extended e: flag "show flags and mode, too"
param show_uid U: flag "show the user id, too"
param full     F: flag "show whole paths: behind the folder that a relative one begins at (not over a trace)"
param path:       glob "only paths that match, as they were given"
param flag     f: int  "only opens with one of these flag bits (O_WRONLY is 1, O_RDWR 2)"

def made = syscall:creat
	| let flags = 01101	# O_CREAT, O_WRONLY, O_TRUNC
def with_how = syscall:openat2 if !$trace
	| let flags = how.flags as s32, mode = how.mode as u16
def as_given = syscall:open, syscall:openat, syscall:open_by_handle_at, made, with_how, syscall:openat2 if $trace
def plain = syscall:open, made
	| let full = coalesce(fullpath(task.fs.pwd, filename), fullpath(task.fs.pwd, pathname))
def at = syscall:openat, with_how	# -100: AT_FDCWD
	| let full = dfd == -100 ? fullpath(task.fs.pwd, filename) : fullpath(file(dfd), filename)
def handle = syscall:open_by_handle_at
	| let full = path(file(ret))

as_given if !$full, plain if $full, at if $full, handle if $full
| where ret < 0 if $failed
| where (flags & $flag) != 0
| let path = coalesce(str(filename), str(pathname))
| where path ~ $path
| print uid if $show_uid, pid, comm, fd = ret < 0 ? -1 : ret, err = errno(ret),
        flags if $extended, mode if $extended, path if !$full, path = full if $full
