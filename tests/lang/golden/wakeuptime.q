# wakeuptime: sched_waking runs in the waker; its own comm is the sleeper's
from sched:sched_switch where prev_pid != 0 && !(prev_state in (running, preempted)) on prev_pid
  to sched:sched_waking on pid
| sum(duration) by end.kstack, end.current.comm, begin.comm
