# capabilities as the kernel asks for them
#
# Question: what does the kernel do for my program?
#
# One line for each check of a capability, and whether it was granted.
#
#     $ culprit capable --comm nginx
#     $ culprit capable -x
#
# Columns: TIME, UID, PID, COMM, CAP the capability, GRANTED; with -K and -U stacks.
#
# Example:
#
#     $ culprit capable -- mount -t tmpfs none /tmp/m
#     TIME         UID      PID     COMM             CAP          GRANTED
#     19:37:13.931 root     305     mount            CAP_SYS_ADMIN true
#     19:37:13.931 root     305     mount            CAP_SYS_ADMIN true
#
# What a service needs to have (CAP): here CAP_SYS_ADMIN. GRANTED false is what it failed for.
param failed x: flag "refused only"
param kernel K: flag "the kernel's stack, too"
param user U:   flag "the program's stack, too"

def checks = capability:cap_capable else cap_capable()
checks
| where ret != 0 if $failed
| print time, uid, pid, comm, cap = capability(cap), granted = ret == 0, kstack if $kernel, ustack if $user
