# signals: who sends which to whom
#
# Question: what is started, and how does it end?
#
# One line for each signal that is generated: the sender (the running thread), the signal, and the
# receiver.
#
#     $ culprit sigsnoop
#     $ culprit sigsnoop -s 9
#     $ culprit sigsnoop --counts
#
# Columns: TIME, PID and COMM (the sender), SIGNAL, TPID and TCOMM (the receiver), RESULT (0
# delivered, 1 ignored, 2 already pending, 3 queue full, 4 details lost); with --counts the same
# without TIME, and COUNT. So a flood of signals takes few rows.
#
# Example:
#
#     $ culprit sigsnoop -d 6
#     TIME         PID     COMM             SIGNAL    TPID    TCOMM              RESULT
#     19:58:34.026 273     sleep            SIGCHLD   165     sh                      0
#     19:58:34.480 282     wget             SIGCHLD   165     sh                      0
#
# sleep and wget end: the kernel sends SIGCHLD to their parent, a shell. Signals that kill are shown, too.
param signal s: int  "only this signal"
param target:   pid  "only signals to this process"
param name:     glob "only senders of this name"
param counts c: flag "count by sender, signal and receiver, as for floods"

signal:signal_generate if !$counts
| where sig == $signal
| where task.tgid == $target
| where current.comm ~ $name
| print time, pid = current.pid, comm = current.comm, signal = sig, tpid = task.tgid,
        tcomm = task.comm, result;
signal:signal_generate if $counts
| where sig == $signal
| where task.tgid == $target
| where current.comm ~ $name
| comm = last(current.comm), tcomm = last(task.comm), count
  by pid = current.pid, signal = sig, tpid = task.tgid, result
| print pid, comm, signal, tpid, tcomm, result, count
