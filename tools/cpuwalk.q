# which CPUs are used
#
# Question: who is using the CPU?
#
# Samples which CPUs run something, as a histogram by CPU. It shows at once whether a program uses
# only one CPU.
#
#     $ culprit cpuwalk -d 10
#     $ culprit cpuwalk -p 1234 -d 10
#
# Columns: the histogram of CPU numbers.
#
# Example:
#
#     $ culprit cpuwalk -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
#          cpu           : count     distribution
#             0          : 155      |*********                               |
#             1          : 682      |****************************************|
#
# One thread uses one CPU at a time, mostly CPU 1. With a busy thread for each CPU the bars would be equal.
param hz: int = 99 "samples a second"

cpu@$hz | where pid != 0 | lhist(cpu, 0, 64, 1)
