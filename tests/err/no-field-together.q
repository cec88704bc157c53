# expect: no-field 2:48
sched:sched_switch, sched:sched_process_fork | lhist((prev_prio as s64) + (child_pid as s64), 0, 1000, 100), count
