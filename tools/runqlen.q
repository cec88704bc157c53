# how many threads wait for each CPU
#
# Question: is the CPU the bottleneck?
#
# Samples how many threads wait on each CPU behind the running thread.
#
#     $ culprit runqlen -d 10
#     $ culprit runqlen -C
#     $ culprit runqlen -O
#
# Columns: with -C CPU; the histogram of the queue length; with -O instead SAMPLES, WAITING (samples
# in which a thread waited), OCCUPANCY (WAITING / SAMPLES).
#
# Example:
#
#     $ culprit runqlen -d 3
#          length        : count     distribution
#             0          : 2        |                                        |
#             1          : 32       |*****                                   |
#             2          : 232      |****************************************|
#             3          : 171      |*****************************           |
#             4          : 1        |                                        |
#
# Two or three threads wait behind each running thread: there are too few CPUs for this work.
param cpus      C: flag "a histogram for each CPU"
param occupancy O: flag "show how often a thread waits instead of a histogram"
param hz: int = 99 "samples a second"

cpu@$hz
| let length = max(coalesce(task.se.cfs_rq.nr_queued, task.se.cfs_rq.nr_running) - 1, 0)
| lhist(length, 0, 32, 1) if !$occupancy, samples = count if $occupancy, waiting = count where length > 0 if $occupancy
  by cpu if $cpus
| let occupancy = waiting / samples if $occupancy
