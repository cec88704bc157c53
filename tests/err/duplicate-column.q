# expect: duplicate-column 2:38
sched:sched_switch | print prev_pid, prev_pid
