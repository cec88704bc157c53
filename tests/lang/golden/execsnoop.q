# execsnoop
sched:sched_process_exec | print time, pid, ppid, comm, cmdline(task)
