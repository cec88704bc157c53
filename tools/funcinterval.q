# the time between calls of a function
#
# Question: how often is this function called, and how slow is it?
#
# A histogram of the time from one call to the next call on the same thread.
#
#     $ culprit funcinterval vfs_read -d 5
#     $ culprit funcinterval libc.so.6:malloc -d 5
#
# Columns: with --threads TID, COUNT (calls, without each thread's first), the histogram of times.
#
# Example:
#
#     $ culprit funcinterval vfs_read -- dd if=/mnt/file of=/dev/null bs=4k
#     count = 100
#          usecs               : count     distribution
#           8.19 -> 16.4       : 87       |****************************************|
#           16.4 -> 32.8       : 7        |***                                     |
#           32.8 -> 65.5       : 2        |                                        |
#           65.5 -> 131        : 2        |                                        |
#            131 -> 262        : 0        |                                        |
#            262 -> 524        : 2        |                                        |
#
# A steady loop: one read every 8 to 16 us. Two groups would mean pauses between bursts.
param function:  source "what to watch: vfs_read, libc.so:malloc, a tracepoint, syscall:read"
param threads:   flag "a histogram for each thread"

from $function().enter else $function to $function().enter else $function
| count, hist(duration) by tid = begin.tid if $threads
