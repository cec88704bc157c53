# warning: key-other 3:6
# warning: key-other 4:31
from sched:sched_waking to sched:sched_switch | count
;from block:block_rq_issue to block:block_rq_complete | count
