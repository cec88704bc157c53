# expect: sink-twice 2:30
sched:sched_switch | count | sum(pid)
