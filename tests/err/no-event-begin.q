# expect: no-event 3:6
# expect: no-field 3:56
from sched:sched_wakup on pid to sched:sched_switch on nxt_pid | hist(duraton)
