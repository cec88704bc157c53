# expect: key-type 2:63
from sched:sched_switch on prev_comm to sched:sched_wakeup on pid | count
