# what values an argument, a field or a result has, and how often
#
# Question: how often is this function called, and how slow is it?
#
# A histogram of --value over the calls or events; with -C each value with its count. WHAT is a
# source of the language: vfs_read() is a function from call to return, vfs_read().enter only its
# entry, vfs_read().return only its return. Others: syscall:read, sched:sched_switch,
# libc.so:malloc(), usdt:PATH:NAME.
#
#     $ culprit argdist 'libc.so:malloc().enter' -e arg0 -d 5
#     $ culprit argdist syscall:read -C -e ret -f 'fd == 0'
#     $ culprit argdist 'vfs_read()' -e duration -i 1 -s
#     $ culprit argdist usdt:/usr/bin/python3:gc__start -C -e arg0
#
# Columns: COUNT and the histogram; with -C VALUE and COUNT, the most frequent value first.
#
# Example:
#
#     $ culprit argdist syscall:read -C -e ret -- dd if=/mnt/file of=/dev/null bs=4k
#     VALUE  COUNT
#      4096    100
#         0      1
#
# 100 reads got all of the 4096 bytes that they asked for; one read met the end of the file. Many
# small values would mean that the program should read more at once.
param what:       source     "what to watch: 'vfs_read()', syscall:read, 'libc.so:malloc().enter'"
param value e:    expression = "duration" "the value to count: arg0, ret, duration, count % 4096; with -C also str(arg0)"
param each C:     flag       "show each value with its count instead of a histogram"
param filter f:   expression "only where this is true: 'ret > 0'"
param separate s: flag       "a result for each event by itself"
param max M:      int = 20   "with -C: show at most N values"

$what
| where $filter
| count, hist($value) if !$each by event if $separate, value = $value if $each
| top $max by count if $each
