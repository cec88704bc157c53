# expect: no-struct 2:47
sched:sched_switch | count by (prev as struct nothing_of_this).x
