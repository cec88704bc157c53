# processes as they end, and why
#
# Question: what is started, and how does it end?
#
# One line for each process that ends (with --threads also for each thread): how long it lived, and
# its exit code or the signal that killed it.
#
#     $ culprit exitsnoop -x
#     $ culprit exitsnoop --name 'worker*'
#
# Columns: TIME, COMM, PID, PPID, TID, AGE, CODE (the exit code), SIGNAL (that killed it; 0: none),
# DUMPED (whether a core was written).
#
# Example:
#
#     $ culprit exitsnoop --name true -d 1
#     TIME         COMM             PID     PPID    TID          AGE(us)     CODE SIGNAL    DUMPED
#     14:23:08.948 true             6170    5284    6170         813.674        0 0         false
#     14:23:08.949 true             6171    5284    6171         793.894        0 0         false
#
# Both lived for 0.8 ms (AGE) and ended with exit code 0.
param failed  x: flag "only processes that failed"
param threads:   flag "show threads, too"
param name:      glob "only processes of this name"

sched:sched_process_exit
| where p.comm ~ $name
| where p.pid as s32 == p.tgid as s32 if !$threads
| where p.exit_code != 0 if $failed
| print time, comm = p.comm, pid = p.tgid, ppid = p.real_parent.tgid, tid = p.pid,
        age = (time as u64 - p.start_time) * 1ns, code = (p.exit_code >> 8) & 0xff,
        signal = signal(p.exit_code & 0x7f), dumped = (p.exit_code & 0x80) != 0
