# soft interrupts: the time in them
#
# Question: is the machine busy with interrupts?
#
# For each kind of soft interrupt: the time in it, how often it ran, and the longest run. With -C
# only how often. With --dist also a histogram. With --raise the time from when it is raised until
# it runs.
#
#     $ culprit softirqs -i 1
#     $ culprit softirqs --raise --dist -d 10
#
# Columns: SOFTIRQ, TOTAL (time), COUNT, MAX.
#
# Example:
#
#     $ culprit softirqs -d 2
#     SOFTIRQ  TOTAL(us)  COUNT    MAX(us)
#     sched    31045.582    110  19530.684
#     timer    26005.678    151   7794.733
#     rcu      17288.560    251   4265.602
#     net_rx    8674.284     22   4721.494
#
# All together take 4% of one CPU. net_rx handles received packets.
param counts C: flag "only count"
param dist:     flag "a histogram for each kind"
param raise:    flag "measure the time from raise to run instead"

def run  = (from irq:softirq_entry to irq:softirq_exit on cpu) | let vec = begin.vec
def wait = (from irq:softirq_raise to irq:softirq_entry on (cpu, vec) keep first) | let vec = begin.vec
(run if !$raise, wait if $raise)
| total = sum(duration) if !$counts, count, max = max(duration) if !$counts, hist(duration) if $dist
  by softirq = softirq(vec)
| sort -count if $counts
| sort -total if !$counts
