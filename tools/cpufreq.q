# the CPUs' clock: how long at which frequency
#
# Question: is the CPU the bottleneck?
#
# How long each CPU was set to each frequency. Changes that the hardware makes by itself are not
# seen.
#
#     $ culprit cpufreq -d 10
#
# Columns: CPU, MHZ, CHANGES (away from this frequency), SPENT (time at it), PART (of all time shown).
#
# Example:
#
#     $ culprit cpufreq -d 1
#     CPU  MHZ  CHANGES  SPENT(us)  PART
#
# No rows: the kernel changed no clock. This is normal in virtual machines and where the hardware does it.
from power:cpu_frequency to power:cpu_frequency on cpu_id
| changes = count, spent = sum(duration) by cpu = begin.cpu_id, mhz = begin.state / 1000
| let part = share(spent)
