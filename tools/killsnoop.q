# kill(2) and similar calls: who signals whom
#
# Question: what is started, and how does it end?
#
# One line for each kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo and pidfd_send_signal:
# the caller, the signal, the target as given (of a pidfd the process
# that it stands for), and the result.
# sigsnoop shows all signals, also those that the kernel sends.
#
#     $ culprit killsnoop
#     $ culprit killsnoop -x -s 9
#
# Columns: TIME, PID and COMM (the caller), CALL, SIGNAL, TPID (the target; negative:
# a process group; -: a descriptor of /proc/PID, or over a trace a pidfd), RESULT.
#
# Example:
#
#     $ culprit killsnoop -- sh -c 'sleep 9 & kill $!; kill -9 99999'
#     TIME         PID     COMM             CALL             SIGNAL        TPID RESULT
#     19:37:39.635 407     sh               kill             SIGTERM        409 0
#     19:37:39.636 407     sh               kill             SIGKILL      99999 ESRCH
#
# Shell 407 killed process 409. Process 99999 does not exist (ESRCH).
param failed x: flag "only failed calls"
param signal s: int  "only this signal"
param target:   int  "only this target"

def kills = syscall:kill, syscall:rt_sigqueueinfo | let tpid = pid as s32
def tkills = syscall:tkill, syscall:tgkill, syscall:rt_tgsigqueueinfo | let tpid = pid as s32
# A pidfd is a file of pidfs, before Linux 6.9 one of the anonymous files; -10000 is the thread itself, -10001 its process.
def descriptors = syscall:pidfd_send_signal
	| let file = file(pidfd), magic = file.f_inode.i_sb.s_magic, new = magic == 0x50494446, old = magic == 0x09041934,
	      known = new || old && ret != -9 || pidfd in (-10000, -10001)	# EBADF
def pidfds = descriptors
	| where known
	| let target = (new ? file.f_inode.i_private : file.private_data) as struct pid
	| let tpid = pidfd == -10000 ? tid as s32 : pidfd == -10001 ? pid as s32 : target.numbers[0].nr
def others = descriptors | where !known | let tpid = file(-1).f_inode.i_ino	# none
# What is none in every trace.
def recorded = syscall:pidfd_send_signal | let tpid = cmdline(task)
kills, tkills, pidfds if !$trace, others if !$trace, recorded if $trace
| where sig == $signal
| where tpid == $target
| where ret < 0 if $failed
| print time, pid = current.pid, comm = current.comm, call = event, signal = signal(sig), tpid, result = errno(ret)
