# locks of the kernel: who waits, how long
#
# Question: why does this process not run?
# Instead: `culprit offcputime -K`: where threads wait in the kernel
#
# For each lock of the kernel (spinlock, mutex, rwsem) for which a thread waited: how often and how
# long. With --held, for each mutex and rwsem: how long it was held, whether or not a thread waited.
#
#     $ culprit klockstat -d 5
#     $ culprit klockstat -s --top 5
#     $ culprit klockstat --held -p 1234
#
# Columns: LOCK (address or name), COMM (who waited or held), with -s STACK (where), WAITS or HOLDS
# (how often), TOTAL, AVERAGE, MAX.
#
# Example:
#
#     $ culprit klockstat -d 2
#     LOCK                COMM  WAITS   TOTAL(us)  AVERAGE(us)     MAX(us)
#     0xff146aab5f603240  gzip      5  204057.901    40811.580  141037.509
#     0xff146aab5f603240  yes       2   43612.590    21806.295   30342.569
#
# `yes | gzip`: both wait for the same lock, the lock of the pipe between them.
param held H:   flag "measure how long locks are held instead (needs kernel functions)"
param stacks s: flag "a row for each stack that waits or holds"
param top:      int = 20 "show at most N rows"

def waiting = (from lock:contention_begin to lock:contention_end on (tid, lock_addr) keep first) | let at = begin.lock_addr
def holding = (from ((mutex_lock().return, (mutex_lock_interruptible().return, mutex_lock_killable().return) where ret == 0,
                      mutex_trylock().return where ret != 0) on (tid, lock),
                     (down_read().return, down_write().return, (down_read_killable().return,
                      down_write_killable().return) where ret == 0) on (tid, sem))
                 to (mutex_unlock().enter on (tid, lock), (up_read().enter, up_write().enter) on (tid, sem)))
              | let at = coalesce(begin.lock, begin.sem)
waiting if !$held, holding if $held
| waits = count if !$held, holds = count if $held, total = sum(duration), average = avg(duration), max = max(duration)
  by lock = at, comm, stack = begin.kstack if $stacks
| top $top by total
