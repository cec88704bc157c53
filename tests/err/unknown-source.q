# expect: unknown-source 2:21
sched:sched_switch, 3@ | count
