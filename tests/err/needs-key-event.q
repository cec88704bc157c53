# expect: needs-key 2:35
from sched:sched_wakeup on pid to syscall:read on tid | count
