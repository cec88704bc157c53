# expect: format-mismatch 2:28
sched:sched_switch | print "%d", prev_comm
