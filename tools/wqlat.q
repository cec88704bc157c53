# work queues: how long work waits before it runs
#
# Question: is the machine busy with interrupts?
#
# A histogram of the time from when work is queued until it runs. With -W one for each queue.
#
#     $ culprit wqlat -d 10
#     $ culprit wqlat -W --name 'kblockd'
#
# Columns: with -W QUEUE, with -F FUNCTION; the histogram.
#
# Example:
#
#     $ culprit wqlat -d 2
#          usecs               : count     distribution
#           65.5 -> 131        : 2        |********                                |
#            131 -> 262        : 6        |**************************              |
#            262 -> 524        : 9        |****************************************|
#            524 -> 1049       : 2        |********                                |
#          16777 -> 33554      : 2        |********                                |
#
# (Cut.) Two of 21 waited 17 ms or more. -F shows which work; runqlat shows whether the CPUs were busy.
param queues    W: flag "a histogram for each queue"
param functions F: flag "a histogram for each function"
param name:        glob "only this queue"

from workqueue:workqueue_queue_work to workqueue:workqueue_execute_start on work keep first
| where begin.pwq.wq.name ~ $name
| hist(duration) by queue = begin.pwq.wq.name if $queues, function = (end.work as struct work_struct).func if $functions
