# slow calls of functions
#
# Question: how often is this function called, and how slow is it?
#
# One line for each call of a function, of the kernel or of a program, that took longer than
# --min. The line is shown when the call returns.
#
#     $ culprit funcslower vfs_read
#     $ culprit funcslower --min 100us -r 'ext4_file_*_iter'
#
# Columns: TIME, COMM, PID, DURATION, with -r RET, FUNCTION; with -K and -U stacks.
#
# Example:
#
#     $ culprit funcslower vfs_fsync_range -r -- dd if=/dev/zero of=/mnt/ext3 bs=4k count=9 conv=fsync
#     TIME         COMM             PID     DURATION(us)      RET FUNCTION
#     19:37:48.583 dd               454        59514.035        0 vfs_fsync_range
#
# One call took 60 ms and succeeded (RET 0). funcgraph shows what happened inside it.
param function: source "which functions: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param min:      duration = 1ms "only calls slower than this"
param ret r:    flag "show the return value, too"
param kernel K: flag "show the kernel's stack, too"
param user U:   flag "show the program's stack, too"

$function()
| where duration >= $min
| print time, comm, pid, duration, ret if $ret, function = event, kstack = end.kstack if $kernel,
        ustack = end.ustack if $user
