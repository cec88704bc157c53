# expect: no-enumerator 2:42
sched:sched_switch | where prev_state == runing | count
