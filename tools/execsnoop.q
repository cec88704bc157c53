# new processes: who runs which program
#
# Question: what is started, and how does it end?
#
# One line for each exec(2): the process, its parent, what exec returned and the
# arguments. Processes too short for top show here. Failed tries, for example along
# PATH, are left out unless -x is given.
#
#     $ culprit execsnoop
#     $ culprit execsnoop -x --name 'ssh*'
#
# Columns: TIME, with -U UID, COMM the new program's name, PID, PPID the parent, RET 0 or
# the error, ARGS the arguments (up to 512 bytes; longer ones end in ...).
#
# Example:
#
#     $ culprit execsnoop -d 1
#     TIME         COMM             PID     PPID    RET          ARGS
#     14:20:51.316 true             23343   22648   0            /bin/true
#     14:20:51.317 true             23344   22648   0            /bin/true
#     14:20:51.318 true             23345   22648   0            /bin/true
#
# One parent (PPID 22648, a shell's loop) starts a program each millisecond.
param failed   x: flag "failed tries, too"
param show_uid U: flag "the user, too"
param name:       glob "programs of this name only (COMM)"
param ppid     P: pid  "children of this process only"
param line     l: glob "where the arguments match only"

syscall:execve, syscall:execveat
| where ret == 0 if !$failed
| where end.current.comm ~ $name
| where ppid == $ppid
| let args = argv(argv, 512)
| where args ~ $line
| print time, uid if $show_uid, comm = end.current.comm, pid, ppid, ret = errno(ret), args
