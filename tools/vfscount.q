# vfs_* functions of the kernel: how often each is called
#
# Question: does this program wait for its files?
# Instead: `culprit syscount`: system calls
#
# Counts the calls of each function of the kernel whose name begins with vfs_ (common to all file systems).
#
#     $ culprit vfscount -d 5
#     $ culprit vfscount -p 1234 1 5
#
# Columns: FUNCTION, COUNT.
#
# Example:
#
#     $ culprit vfscount -- ls /mnt
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
# ls asks for the attributes of each of the 7 names, and opens only two files.
vfs_*().enter
| count by function = event
| sort count
