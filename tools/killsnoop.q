# kill(2) and similar calls: who signals whom
#
# Question: what is started, and how does it end?
#
# One line for each kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo and pidfd_send_signal:
# the caller, the signal, the target as given (0: a pidfd), and the result.
# sigsnoop shows all signals, also those that the kernel sends.
#
#     $ culprit killsnoop
#     $ culprit killsnoop -x -s 9
#
# Columns: TIME, PID and COMM (the caller), CALL, SIGNAL, TPID (the target; negative:
# a process group), RESULT.
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
def pidfds = syscall:pidfd_send_signal | let tpid = 0 as s32
kills, tkills, pidfds
| where sig == $signal
| where tpid == $target
| where ret < 0 if $failed
| print time, pid = current.pid, comm = current.comm, call = event, signal = signal(sig), tpid, result = errno(ret)
