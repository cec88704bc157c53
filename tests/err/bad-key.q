# expect: bad-key 2:28
from sched:sched_wakeup on p.comm[cpu] to sched:sched_switch on next_pid | count
