# the CPUs' clock: how long at which frequency
#
# Question: is the CPU the bottleneck?
#
# How long each CPU was set to each frequency. Clocks that the hardware sets by itself are
# not told.
#
#     $ culprit cpufreq -d 10
#
# Columns: CPU, MHZ; CHANGES away from it, TIME at it, SHARE of all CPUs' time.
#
# Example:
#
#     $ culprit cpufreq -d 1
#     CPU  MHZ  CHANGES  SPENT(us)  PART
#
# No rows: the kernel changed no clock. So it is on virtual machines and where the hardware does it by itself.
from power:cpu_frequency to power:cpu_frequency on cpu_id
| changes = count, spent = sum(duration) by cpu = begin.cpu_id, mhz = begin.state / 1000
| let part = share(spent)
