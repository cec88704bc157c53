# timers: how late they run
#
# Question: is the machine busy with interrupts?
#
# A histogram of how late high-resolution timers ran. With --handlers: of the time in each handler.
#
#     $ culprit timerlat -d 10
#     $ culprit timerlat --handlers
#
# Columns: FUNCTION (the handler), the histogram.
#
# Example:
#
#     $ culprit timerlat -d 2
#     function = hrtimer_wakeup+0
#          usecs               : count     distribution
#           1049 -> 2097       : 2        |********************                    |
#           2097 -> 4194       : 1        |**********                              |
#           4194 -> 8389       : 3        |******************************          |
#           8389 -> 16777      : 4        |****************************************|
#          16777 -> 33554      : 2        |********************                    |
#
# (Cut.) Sleeps (hrtimer_wakeup) end 1 to 34 ms late: this machine, or the host below it, is overloaded.
param handlers: flag "measure how long the handlers run instead"

def ran  = (from timer:hrtimer_expire_entry to timer:hrtimer_expire_exit on hrtimer)
           | let function = begin.function, took = duration
def late = timer:hrtimer_expire_entry
           | let took = max(now - (hrtimer as struct hrtimer)._softexpires, 0) * 1ns
(ran if $handlers, late if !$handlers)
| hist(took) by function
