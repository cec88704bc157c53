# calls of functions that were slow
#
# Question: which calls of this function were slow, and whose?
#
# One line for each call of a function of the kernel or of a program that took longer
# than --min, when it returns.
#
#     $ culprit funcslower vfs_read
#     $ culprit funcslower --min 100us -r 'ext4_file_*_iter'
#
# Columns: TIME, COMM, PID, DURATION, with -r RET, FUNCTION.
param function: source "which: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param min:      duration = 1ms "slower than this only"
param ret r:    flag "what it returned, too"

$function()
| where duration >= $min
| print time, comm, pid, duration, ret if $ret, function = event
