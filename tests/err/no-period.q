# expect: no-period 2:28
sched:sched_switch | print duration
