# which values an argument, a field or a result has, and how often
#
# Question: how often is this function called, and how slow is it?
#
# A histogram of --value over the calls or events, or with -C each value with its count. WHAT is
# a source of the language: vfs_read() is a function from call to return, .enter and .return
# its ends; syscall:read, sched:sched_switch, libc.so:malloc() and usdt:PATH:NAME are others.
#
#     $ culprit argdist 'libc.so:malloc().enter' -e arg0 -d 5
#     $ culprit argdist syscall:read -C -e ret -f 'fd == 0'
#     $ culprit argdist 'vfs_read()' -e duration -i 1 -s
#     $ culprit argdist usdt:/usr/bin/python3:gc__start -C -e arg0
#
# Columns: with -C VALUE and COUNT, the most frequent first; else a histogram and COUNT.
#
# Example:
#
#     $ culprit argdist syscall:read -C -e ret -- dd if=/mnt/file of=/dev/null bs=4k
#     VALUE  COUNT
#      4096    100
#         0      1
#
# 100 reads got all of the 4096 bytes that they asked for, one the end of the file. Many small
# values would be a program that should ask for more at once.
param what:       source     "which: 'vfs_read()', syscall:read, 'libc.so:malloc().enter'"
param value e:    expression = "duration" "of what: arg0, ret, duration, count % 4096, str(arg0) with -C"
param each C:     flag       "each value with its count, not a histogram"
param filter f:   expression "only where this holds: 'ret > 0'"
param separate s: flag       "each event by itself"
param max M:      int = 20   "with -C so many values"

$what
| where $filter
| count, hist($value) if !$each by event if $separate, value = $value if $each
| top $max by count if $each
