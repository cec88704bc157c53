# expect: key-under-or 2:53
from sched:sched_switch to sched:sched_wakeup where pid == begin.prev_pid || prio == 1 | count
