# offcputime (blocked only: && !(prev_state in (running, preempted)))
def offcpu = (from sched:sched_switch where prev_pid != 0 on prev_pid
                to sched:sched_switch on next_pid)
offcpu | sum(duration) by begin.stack, begin.comm
