# expect: key-count 2:42
from sched:sched_wakeup on (pid, cpu) to sched:sched_switch on next_pid | count
