# how often functions are called, or events happen
#
# Question: how often is this function called, and how slow is it?
#
# Counts the calls of functions of the kernel or of a program, of system calls, and events, each by
# its name. Names are patterns with * ? [a-z], as a shell has them, not regular expressions: bcc's
# -r '^vfs_(read|write)$' is 'vfs_read, vfs_write' here.
#
#     $ culprit funccount 'vfs_*' -d 5
#     $ culprit funccount 'btrfs:*write*' 1 10
#     $ culprit funccount 'libc.so:*alloc' -d 5
#     $ culprit funccount 'syscall:*' -d 5
#     $ culprit funccount 'sched:sched_*' -d 5
#
# MODULE:NAME is the module's functions, and if it has none such, the events SYSTEM:NAME.
#
# Columns: FUNCTION (or the event), COUNT (calls that began; of a list with commas those that ended).
#
# Example:
#
#     $ culprit funccount 'vfs_*' -- ls /mnt
#     FUNCTION           COUNT
#     vfs_readlink           1
#     vfs_write              1
#     vfs_fstat              2
#     vfs_open               2
#     vfs_statx              8
#     vfs_statx_path         8
#     vfs_fstatat           10
#     vfs_getattr_nosec     10
#
# ls asks for the attributes of each name (vfs_fstatat, vfs_statx), and opens only two files.
param function: source "what to count: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc, 'syscall:*', 'sched:*'"

$function().enter else $function.enter else $function
| count by function = event
| sort count
