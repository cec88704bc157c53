# capabilities that the kernel checks
#
# Question: what does the kernel do for my program?
#
# One line for each check of a capability, with its result.
#
#     $ culprit capable --comm nginx
#     $ culprit capable -x
#
# Columns: TIME, UID, PID, COMM, CAP (the capability), GRANTED; with -K and -U stacks.
#
# Example:
#
#     $ culprit capable -- mount -t tmpfs none /tmp/m
#     TIME         UID      PID     COMM             CAP          GRANTED
#     19:37:13.931 root     305     mount            CAP_SYS_ADMIN true
#     19:37:13.931 root     305     mount            CAP_SYS_ADMIN true
#
# The capabilities that a program needs (CAP): here CAP_SYS_ADMIN. GRANTED false: it lacks this one.
param failed x: flag "only refused checks"
param kernel K: flag "show the kernel's stack, too"
param user U:   flag "show the program's stack, too"

def checks = capability:cap_capable else cap_capable().return
checks
| where ret != 0 if $failed
| print time, uid, pid, comm, cap = capability(cap), granted = ret == 0, kstack if $kernel, ustack if $user
