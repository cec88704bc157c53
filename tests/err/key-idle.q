# warning: key-idle 2:28
from sched:sched_switch on prev_pid to sched:sched_switch on next_pid | count
