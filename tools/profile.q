# which code burns the CPU
#
# Question: who is using the CPU?
#
# Samples every CPU at a fixed rate and counts what runs there, by process and stack, the most
# frequent last. Samples of idle CPUs are left out.
#
#     $ culprit profile -d 10
#     $ culprit profile -F 199 -K
#     $ culprit profile -P --top 10
#     $ culprit profile -p 1234 -d 10 --format folded
#     $ culprit profile -N -o before.json -- make
#     $ culprit profile --in syscall:fsync --over 100ms
#
# Columns: without -N PID, COMM, with --cgroups CGROUP, with -C CPU, without -P STACK, SAMPLES, SHARE (of all samples counted).
#
# COMM is the thread's name, as in bcc's profile: threads with names of their own, and what a process ran before an exec, are
# rows of their own; with -P a process has its last name.
#
# Example:
#
#     $ culprit profile -K --top 1 -- dd if=/dev/zero of=/dev/null bs=1M count=3000
#     pid = 663, comm = dd
#     samples = 116, share = 76.3%
#         rep_stos_alternative
#         read_zero
#         vfs_read
#         ksys_read
#         do_syscall_64
#         entry_SYSCALL_64_after_hwframe
#
# Innermost first (cut): in 76% of the samples dd was in read(2) of /dev/zero, which fills memory.
param frequency F: int = 49 "samples a second on each CPU"
param user      U: flag "only samples in the program itself"
param kernel    K: flag "only samples in the kernel"
param idle      I: flag "include idle CPUs"
param processes P: flag "a row for each process, without stacks"
param names     N: flag "a row for each program's name, not each process"
param cgroups:     flag "a row for each cgroup"
param cpus      C: flag "a row for each CPU"
param top:         int "show only the N most frequent"
param in:   source   "only inside periods of this"
param over: duration "and only of those that took this long or longer"

cpu@$frequency
| in $in over $over
| where pid != 0 if !$idle
| where (ip as s64) >= 0 if $user
| where (ip as s64) < 0 if $kernel
| samples = count by pid if !$names, comm, cgroup if $cgroups, cpu if $cpus, stack if !$processes if !$processes
| comm = last(comm) if !$names, samples = count
  by pid if !$names, comm if $names, cgroup if $cgroups, cpu if $cpus if $processes
| let share = share(samples)
| top $top by samples if $top
| sort samples
