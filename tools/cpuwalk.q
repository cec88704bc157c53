# which CPUs are used
#
# Question: who is using the CPU?
#
# A histogram of the CPUs on which something ran when a sample was taken: a program that uses
# one CPU only is seen at once.
#
#     $ culprit cpuwalk -d 10
#     $ culprit cpuwalk -p 1234 -d 10
#
# Columns: the histogram.
#
# Example:
#
#     $ culprit cpuwalk -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
#          cpu           : count     distribution
#             0          : 155      |*********                               |
#             1          : 682      |****************************************|
#
# One thread, so one CPU at a time, mostly 1. A program with a thread for each CPU is even here.
param hz: int = 99 "samples a second"

cpu@$hz | where pid != 0 | lhist(cpu, 0, 64, 1)
