# expect: no-event 2:1
sched:sched_swich | count
