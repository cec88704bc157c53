# processes killed because memory was short
#
# Question: is memory short, and who needs it?
#
# One line for each process that the out-of-memory killer chose, with the process that caused it.
#
#     $ culprit oomkill
#
# Columns: TIME, TRIGGER and TRIGGER_PID (who asked for memory), VICTIM and VICTIM_PID (who was killed).
#
# Example:
#
#     $ culprit oomkill -- sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs; exec dd if=/dev/zero of=/dev/null bs=100M count=1'
#     TIME         TRIGGER          TRIGGER_PID VICTIM           VICTIM_PID
#     19:58:45.663 dd               304         dd               304
#
# dd wants 100 MB in a memory cgroup with a limit of 20 MB, and is killed. Often the victim is another process.
(oom_kill_process().enter | let victim = oc.chosen) else (oom:mark_victim | let victim = task)
| print time, trigger = current.comm, trigger_pid = current.pid, victim = victim.comm, victim_pid = victim.tgid
