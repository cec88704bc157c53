# how long functions take
#
# Question: is this function slow, and how often?
#
# A histogram of the time from the call to the return of functions of the kernel or of a
# program, with what it calls and what it waits for.
#
#     $ culprit funclatency vfs_read -d 5
#     $ culprit funclatency -F 'ext4_file_*_iter' 1
#     $ culprit funclatency libc.so:getaddrinfo -d 5
#
# Columns: with -F FUNCTION, HIST the times, AVG their mean, TOTAL their sum, COUNT.
param function:   source "which: vfs_read, 'ext4_*', 'btrfs:*write*', libc.so:malloc"
param separate F: flag   "each function by itself"
param level:      int    "calls to this depth of recursion only: 1 is the outermost"

$function()
| where depth < $level
| hist(duration), avg = avg(duration), total = sum(duration), count
  by function = event if $separate
