# how long functions take
#
# Question: how often is this function called, and how slow is it?
#
# A histogram of the time from the call to the return of functions of the kernel or of a
# program, with what it calls and what it waits for.
#
#     $ culprit funclatency vfs_read -d 5
#     $ culprit funclatency -F 'ext4_file_*_iter' 1
#     $ culprit funclatency libc.so:getaddrinfo -d 5
#
# Columns: with -F FUNCTION, HIST the times, AVG their mean, TOTAL their sum, COUNT.
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
# (Cut.) 101 reads of 8 to 16 us: the file is in the page cache. Reads from a disk would be far below.
param function:   source "which: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param separate F: flag   "each function by itself"
param level:      int    "calls to this depth of recursion only: 1 is the outermost"

$function()
| where depth < $level
| hist(duration), avg = avg(duration), total = sum(duration), count
  by function = event if $separate
