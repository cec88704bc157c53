# slow soft interrupts
#
# Question: is the machine busy with interrupts?
#
# One line for each soft interrupt that waited longer than --min before it ran, or ran longer than --min.
#
#     $ culprit softirqslower
#     $ culprit softirqslower 100us --softirq net_rx
#
# Columns: TIME, STAGE (raised: LATENCY is the wait; ran: LATENCY is the run), SOFTIRQ, LATENCY, CPU,
# COMM (the interrupted thread).
#
# Example:
#
#     $ culprit softirqslower 1000 -d 2
#     TIME         STAGE            SOFTIRQ       LATENCY(us)      CPU COMM
#     20:01:21.244 ran              sched           10498.132        0 culprit
#     20:01:22.530 ran              timer            2123.794        0 culprit
#     20:01:22.595 raised           sched          230868.234        0 culprit
#     20:01:22.628 raised           rcu            315025.225        0 culprit
#
# (Cut.) 0.2 and 0.3 s from raise to run: the host did not run this virtual machine's CPU.
param min:     duration = 10000us "only waits and runs longer than this; without a unit: us"
param softirq: glob "only this kind"

def run  = (from irq:softirq_entry to irq:softirq_exit on cpu) | let stage = "ran"
def wait = (from irq:softirq_raise to irq:softirq_entry on (cpu, vec) keep first) | let stage = "raised"
run, wait
| where duration >= $min
| let softirq = softirq(begin.vec)
| where softirq ~ $softirq
| print time, stage, softirq, latency = duration, cpu = end.cpu, comm = end.current.comm
