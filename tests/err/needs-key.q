# expect: needs-key 2:35
from sched:sched_wakeup on pid to sched:sched_migrate_task | count
