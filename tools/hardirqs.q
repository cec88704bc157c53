# interrupts: the time in their handlers
#
# Question: is the machine busy with interrupts?
#
# For each interrupt: the time in its handler, how often the handler ran, and the longest run. With
# -C only how often, which costs less. With --dist also a histogram.
#
#     $ culprit hardirqs -i 1
#     $ culprit hardirqs --dist -d 10
#
# Columns: HARDIRQ (the handler's name), TOTAL (time), COUNT (runs), MAX (longest run).
#
# Example:
#
#     $ culprit hardirqs -d 2
#     HARDIRQ        TOTAL(us)  COUNT   MAX(us)
#     virtio0-req.0   6566.754     25  4765.276
#
# The disk's handler ran 25 times in 2 s and took 0.3% of one CPU. That is little, but one run took 4.8 ms.
param counts C: flag "only count"
param dist:    flag "a histogram for each interrupt"

def handler = (from irq:irq_handler_entry to irq:irq_handler_exit on cpu)
              | let hardirq = str(end.action.name, 32)
def entry   = irq:irq_handler_entry | let hardirq = str(action.name, 32)
(entry if !$dist, handler if $dist) if $counts, handler if !$counts
| total = sum(duration) if !$counts, count, max = max(duration) if !$counts, hist(duration) if $dist
  by hardirq
| sort -count if $counts
| sort -total if !$counts
