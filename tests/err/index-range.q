# expect: index-range 2:41
sched:sched_switch | count by prev.comm[16]
