# expect: ambiguous-name 2:72
from sched:sched_waking on pid to sched:sched_wakeup on pid | count by target_cpu
