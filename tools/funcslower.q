# calls of functions that were slow
#
# Question: how often is this function called, and how slow is it?
#
# One line for each call of a function of the kernel or of a program that took longer
# than --min, when it returns.
#
#     $ culprit funcslower vfs_read
#     $ culprit funcslower --min 100us -r 'ext4_file_*_iter'
#
# Columns: TIME, COMM, PID, DURATION, with -r RET, FUNCTION, with -K and -U stacks.
#
# Example:
#
#     $ culprit funcslower vfs_fsync_range -r -- dd if=/dev/zero of=/mnt/ext3 bs=4k count=9 conv=fsync
#     TIME         COMM             PID     DURATION(us)      RET FUNCTION
#     19:37:48.583 dd               454        59514.035        0 vfs_fsync_range
#
# The one call took 60 ms and was no error (RET 0). funcgraph shows what was inside.
param function: source "which: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param min:      duration = 1ms "slower than this only"
param ret r:    flag "what it returned, too"
param kernel K: flag "the kernel's stack, too"
param user U:   flag "the program's stack, too"

$function()
| where duration >= $min
| print time, comm, pid, duration, ret if $ret, function = event, kstack = end.kstack if $kernel,
        ustack = end.ustack if $user
