# slow calls of functions
#
# Question: how often is this function called, and how slow is it?
#
# One line for each call of these functions, of the kernel or of a program, that took --min or
# longer. The line is shown when the call returns. -a adds parameters (`culprit help 'vfs_read()'`
# shows their names); functions that have none of that name show - there.
#
#     $ culprit funcslower vfs_read
#     $ culprit funcslower -m 10 vfs_read vfs_write
#     $ culprit funcslower -m 100us -r 'ext4_file_*_iter'
#     $ culprit funcslower vfs_read vfs_write -a 'count, file.f_inode.i_ino'
#
# Columns: TIME, COMM, PID, DURATION, with -r RET, FUNCTION, the columns of -a; with -K and -U stacks.
#
# Example:
#
#     $ culprit funcslower vfs_fsync_range -r -- dd if=/dev/zero of=/mnt/ext3 bs=4k count=9 conv=fsync
#     TIME         COMM             PID     DURATION(us)      RET FUNCTION
#     19:37:48.583 dd               454        59514.035        0 vfs_fsync_range
#
# One call took 60 ms and succeeded (RET 0). funcgraph shows what happened inside it.
param functions: sources "which functions: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param min m:    duration = 1ms "only calls of at least this: 1ms, 100us; a number is ms"
param ret r:    flag    "show the return value, too"
param args a:   columns "what else to show: 'count, file.f_inode.i_ino'"
param kernel K: flag    "show the kernel's stack, too"
param user U:   flag    "show the program's stack, too"

$functions()
| where duration >= $min
| print time, comm, pid, duration, ret if $ret, function = event, $args, kstack = end.kstack if $kernel,
        ustack = end.ustack if $user
