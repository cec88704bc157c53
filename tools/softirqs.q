# soft interrupts: how much time they take
#
# Question: is the machine busy with interrupts?
#
# The time in each kind of soft interrupt, how often it ran and the longest run; with
# -C only how often; with --dist a histogram each; with --raise the time from when it was
# raised until it ran.
#
#     $ culprit softirqs -i 1
#     $ culprit softirqs --raise --dist -d 10
#
# Columns: SOFTIRQ; TOTAL time; COUNT; MAX.
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
# All together 4% of one CPU. net_rx is where received packets are worked on.
param counts C: flag "count only"
param dist:     flag "a histogram for each"
param raise:    flag "the time from raise to run instead"

def run  = (from irq:softirq_entry to irq:softirq_exit on cpu) | let vec = begin.vec
def wait = (from irq:softirq_raise to irq:softirq_entry on (cpu, vec) keep first) | let vec = begin.vec
(run if !$raise, wait if $raise)
| total = sum(duration) if !$counts, count, max = max(duration) if !$counts, hist(duration) if $dist
  by softirq = softirq(vec)
| sort -count if $counts
| sort -total if !$counts
