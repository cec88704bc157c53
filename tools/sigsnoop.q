# signals as they are sent
#
# Question: what is started, and how does it end?
#
# One line for each signal that the kernel generates: the sender (who was running), the
# signal, and the thread that is to get it.
#
#     $ culprit sigsnoop
#     $ culprit sigsnoop -s 9
#
# Columns: TIME, PID and COMM of the sender, SIGNAL, TPID and TCOMM of the receiver, RESULT
# what became of it: 0 delivered, 1 ignored, 2 already pending, 3 queue full, 4 lost its details.
#
# Example:
#
#     $ culprit sigsnoop -d 6
#     TIME         PID     COMM             SIGNAL    TPID    TCOMM              RESULT
#     19:58:34.026 273     sleep            SIGCHLD   165     sh                      0
#     19:58:34.480 282     wget             SIGCHLD   165     sh                      0
#
# sleep and wget end: the kernel tells their parent, a shell. What kills a process is seen as well.
param signal s: int  "this signal only"
param target:   pid  "sent to this process only"
param name:     glob "senders of this name only"

signal:signal_generate
| where sig == $signal
| where task.tgid == $target
| where current.comm ~ $name
| print time, pid = current.pid, comm = current.comm, signal = sig, tpid = task.tgid,
        tcomm = task.comm, result
