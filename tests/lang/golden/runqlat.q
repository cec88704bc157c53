# runqlat: also those preempted while runnable
from (sched:sched_wakeup on pid, sched:sched_wakeup_new on pid,
      sched:sched_switch where prev_pid != 0 && prev_state in (running, preempted) on prev_pid)
  to sched:sched_switch on next_pid
| hist(duration)
