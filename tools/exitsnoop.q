# processes as they end, and why
#
# Question: what is started, and how does it end?
#
# One line for each process when its last thread ends (with --threads for each thread): how long it
# lived, and its exit code or the signal that killed it, as whoever waits for it is told. An exec ends no process.
#
#     $ culprit exitsnoop -x
#     $ culprit exitsnoop --name 'worker*'
#
# Columns: TIME, COMM, PID, PPID, TID (the thread that ended last), AGE, CODE (the exit code), SIGNAL (that killed it; 0: none),
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
| let last = coalesce(group_dead, p.signal.live.counter == 0, p.pid as s32 == p.tgid as s32)
| let told = coalesce(p.signal.flags & 4 ? p.signal.group_exit_code : p.group_leader.exit_code,
                      p.group_leader.exit_code, p.exit_code)  # SIGNAL_GROUP_EXIT
| let status = last ? told : p.exit_code
| where last if !$threads
| let name = $threads ? p.comm : p.group_leader.comm
| where name ~ $name
| where status != 0 if $failed
| print time, comm = name, pid = p.tgid, ppid = p.real_parent.tgid, tid = p.pid,
        age = (time as u64 - (last ? coalesce(p.group_leader.start_time, p.start_time) : p.start_time)) * 1ns, code = (status >> 8) & 0xff,
        signal = signal(status & 0x7f), dumped = (status & 0x80) != 0
