# which processes burn the CPU
#
# Question: who is using the CPU?
#
# Looks at every CPU so many times a second and counts what runs there. SHARE is the
# part of the samples that found anything running.
#
#     $ culprit profile -d 10
#     $ culprit profile -F 199 -K
#
# Columns: PID, COMM, with -C CPU; SAMPLES; SHARE.
param frequency F: int = 49 "samples a second on each CPU"
param user      U: flag "only while in the program itself"
param kernel    K: flag "only while in the kernel"
param idle      I: flag "idle CPUs, too"
param cpus      C: flag "by CPU, too"
param top:         int = 20 "so many rows"

cpu@$frequency
| where pid != 0 if !$idle
| where (ip as s64) >= 0 if $user
| where (ip as s64) < 0 if $kernel
| samples = count by pid, comm, cpu if $cpus
| let share = share(samples)
| top $top by samples
