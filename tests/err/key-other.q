# warning: key-other 2:6
from sched:sched_waking to sched:sched_switch | count
