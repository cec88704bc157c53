# which code burns the CPU
#
# Question: who is using the CPU?
#
# Looks at every CPU so many times a second and counts what runs there, by process and stack,
# the most frequent last. SHARE is the part of the samples that found anything running.
#
#     $ culprit profile -d 10
#     $ culprit profile -F 199 -K
#     $ culprit profile -P --top 10
#     $ culprit profile -p 1234 -d 10 --format folded
#
# Columns: PID, COMM, with -C CPU, the STACK (without -P); SAMPLES; SHARE.
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
# Innermost first (cut): in 76% of the samples dd was in read(2) of /dev/zero, filling memory.
param frequency F: int = 49 "samples a second on each CPU"
param user      U: flag "only while in the program itself"
param kernel    K: flag "only while in the kernel"
param idle      I: flag "idle CPUs, too"
param processes P: flag "by process alone, without stacks"
param cpus      C: flag "by CPU, too"
param top:         int "the most frequent so many only"

cpu@$frequency
| where pid != 0 if !$idle
| where (ip as s64) >= 0 if $user
| where (ip as s64) < 0 if $kernel
| samples = count by pid, comm, cpu if $cpus, stack if !$processes
| let share = share(samples)
| top $top by samples if $top
| sort samples
