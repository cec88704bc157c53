# processes killed for want of memory
#
# Question: is memory short, and who needs it?
#
# One line for each process that the out-of-memory killer chose, and what made it act.
#
#     $ culprit oomkill
#
# Columns: TIME, TRIGGER and TRIGGER_PID who asked for memory, VICTIM and VICTIM_PID.
#
# Example:
#
#     $ culprit oomkill -- sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs; exec dd if=/dev/zero of=/dev/null bs=100M count=1'
#     TIME         TRIGGER          TRIGGER_PID VICTIM           VICTIM_PID
#     19:58:45.663 dd               304         dd               304
#
# dd wants 100 MB in a memory cgroup that may have 20, and is killed itself. Often the victim is another.
(oom_kill_process().enter | let victim = oc.chosen) else (oom:mark_victim | let victim = task)
| print time, trigger = current.comm, trigger_pid = current.pid, victim = victim.comm, victim_pid = victim.tgid
