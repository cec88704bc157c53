# how long functions take
#
# Question: how often is this function called, and how slow is it?
#
# A histogram of the time from call to return, of functions of the kernel or of a program. The time
# includes the functions that they call and all waits.
#
#     $ culprit funclatency vfs_read -d 5
#     $ culprit funclatency -F 'ext4_file_*_iter' 1
#     $ culprit funclatency libc.so:getaddrinfo -d 5
#
# Columns: with -F FUNCTION; the histogram of times, AVG (mean), TOTAL (sum), COUNT.
#
# Example:
#
#     $ culprit funclatency vfs_read -- dd if=/mnt/file of=/dev/null bs=4k
#     avg = 13.5 us, total = 1.4 ms, count = 101
#          usecs               : count     distribution
#           1.02 -> 2.05       : 1        |                                        |
#           2.05 -> 4.10       : 0        |                                        |
#           4.10 -> 8.19       : 0        |                                        |
#           8.19 -> 16.4       : 95       |****************************************|
#           16.4 -> 32.8       : 0        |                                        |
#           32.8 -> 65.5       : 3        |*                                       |
#
# (Cut.) Most of 101 reads took 8 to 16 us: the file is in the page cache. Reads from a disk take far longer.
param function:   source "which functions: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param separate F: flag   "a histogram for each function"
param level:      int    "only the N outermost levels of recursion (1: no recursive calls)"

$function()
| where depth < $level
| hist(duration), avg = avg(duration), total = sum(duration), count
  by function = event if $separate
