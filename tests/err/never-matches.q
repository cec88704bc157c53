# warning: never-matches 2:50
syscall:read, sched:sched_switch | where event ~ "nosuch*" || !(event ~ "rea*") | count by event
