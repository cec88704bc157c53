# how often functions are called
#
# Question: how often is this function called, and how slow is it?
#
# Counts the calls of functions of the kernel or of a program, each by its name.
#
#     $ culprit funccount 'vfs_*' -d 5
#     $ culprit funccount 'btrfs:*write*' 1 10
#     $ culprit funccount 'libc.so:*alloc' -d 5
#
# Columns: FUNCTION, COUNT (calls that began).
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
param function: source "which functions: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"

$function().enter | count by function = event | sort count
