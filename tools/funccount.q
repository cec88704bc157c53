# how often functions are called
#
# Question: is this code run at all, and how often?
#
# Counts the calls of functions of the kernel or of a program, each by its name.
#
#     $ culprit funccount 'vfs_*' -d 5
#     $ culprit funccount 'btrfs:*write*' 1 10
#     $ culprit funccount 'libc.so:*alloc' -d 5
#
# Columns: FUNCTION, COUNT the calls that began.
param function: source "which: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"

$function().enter | count by function = event | sort count
