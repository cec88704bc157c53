# expect: no-event 3:1
# expect: unknown-function 3:21
sched:sched_wakup | cnt
