# offwaketime
from sched:sched_switch where prev_pid != 0 on prev_pid
  via sched:sched_waking on pid to sched:sched_switch on next_pid
| sum(duration) by begin.stack, via.kstack, via.current.comm
