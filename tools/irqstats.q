# interrupts, hard and soft: count and time of each
#
# Question: is the machine busy with interrupts?
#
# For each interrupt handler and each kind of soft interrupt: how often and how long it ran.
#
#     $ culprit irqstats -d 5
#
# Columns: HARDIRQ (the handler) or SOFTIRQ (the kind), COUNT, TOTAL, MIN, AVG, MAX, STDDEV.
#
# Example:
#
#     $ culprit irqstats -d 2
#     HARDIRQ        COUNT  TOTAL(us)  MIN(us)  AVG(us)    MAX(us)  STDDEV(us)
#     virtio0-req.0     35  21016.451   29.005  600.470  17712.107    2935.255
#     virtio0-req.1      5    521.976   49.504  104.395    175.992      45.099
#
#     SOFTIRQ  COUNT  TOTAL(us)  MIN(us)  AVG(us)    MAX(us)  STDDEV(us)
#     sched      143  58068.522    5.100  406.074  13540.141    1852.592
#     net_rx      54  48627.598    6.252  900.511  25579.607    4124.688
#
# (Cut.) All together take 6% of a CPU. MAX is far above AVG: some threads were interrupted for 10 to 25 ms.
def hard = (from irq:irq_handler_entry to irq:irq_handler_exit on cpu)
           | let kind = "hard", name = str(end.action.name, 32)
def soft = (from irq:softirq_entry to irq:softirq_exit on cpu)
           | let kind = "soft", vector = softirq(begin.vec)
hard | count, total = sum(duration), min = min(duration), avg = avg(duration), max = max(duration),
       stddev = stddev(duration) by hardirq = name | sort -total;
soft | count, total = sum(duration), min = min(duration), avg = avg(duration), max = max(duration),
       stddev = stddev(duration) by softirq = vector | sort -total
