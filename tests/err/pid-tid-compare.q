# expect: pid-tid-compare 2:28
sched:sched_switch | where next_pid == pid | count
