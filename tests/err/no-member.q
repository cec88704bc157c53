# expect: no-member 2:36
sched:sched_switch | count by prev.tgdi
