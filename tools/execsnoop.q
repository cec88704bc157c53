# new processes: who runs which program
#
# Question: what is started, and how does it end?
#
# One line for each exec(2): the process, its parent, what exec returned, the arguments. It also
# shows processes that end too soon for top. Failed calls, as in a search along PATH, are shown
# only with -x, which looks at every system call; without it the programs that start are all it costs.
#
#     $ culprit execsnoop
#     $ culprit execsnoop -x --name 'ssh*'
#     $ culprit execsnoop -Q
#
# Columns: TIME, with -U UID, COMM (the new program), PID, PPID (the parent), RET (0 or the error),
# ARGS (the arguments, up to 512 bytes; longer ones end in ...).
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
param failed   x: flag "show failed calls, too"
param show_uid U: flag "show the user id, too"
param name:       glob "only programs of this name (COMM)"
param ppid     P: pid  "only children of this process"
param line     l: glob "only where the arguments match"
param quote    Q: flag "quote arguments that a shell would take for several"

def started = sched:sched_process_exec
	| let program = comm, code = errno(0), args = cmdline(task, 512)
def tried = syscall:execve, syscall:execveat
	| let program = end.current.comm, code = errno(ret), args = argv(argv, 512)

started if !$failed, tried if $failed
| where program ~ $name
| where ppid == $ppid
| where args ~ $line
| print time, uid if $show_uid, comm = program, pid, ppid, ret = code, args if !$quote, args = quote(args) if $quote
