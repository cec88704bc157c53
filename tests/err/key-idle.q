# warning: key-idle 3:28
# warning: key-idle 5:51
from sched:sched_switch on prev_pid to sched:sched_switch on next_pid | count
;from sched:sched_switch where prev_pid != 0 on prev_pid to sched:sched_switch on next_pid | count
;from sched:sched_switch where prev_prio < 100 on prev_pid to sched:sched_switch on next_pid | count
