# interrupts: how much time their handlers take
#
# Question: is the machine busy with interrupts?
#
# The time in each interrupt's handlers, how often they ran and the longest run; with -C
# only how often, which costs less; with --dist a histogram each.
#
#     $ culprit hardirqs -i 1
#     $ culprit hardirqs --dist -d 10
#
# Columns: HARDIRQ the handler's name; TOTAL time; COUNT; MAX.
#
# Example:
#
#     $ culprit hardirqs -d 2
#     HARDIRQ        TOTAL(us)  COUNT   MAX(us)
#     virtio0-req.0   6566.754     25  4765.276
#
# The disk's handler ran 25 times in 2 s, 0.3% of one CPU: no trouble, but one run took 4.8 ms.
param counts C: flag "count only"
param dist:    flag "a histogram for each"

def handler = (from irq:irq_handler_entry to irq:irq_handler_exit on cpu)
              | let hardirq = str(end.action.name, 32)
def entry   = irq:irq_handler_entry | let hardirq = str(action.name, 32)
(entry if !$dist, handler if $dist) if $counts, handler if !$counts
| total = sum(duration) if !$counts, count, max = max(duration) if !$counts, hist(duration) if $dist
  by hardirq
| sort -count if $counts
| sort -total if !$counts
