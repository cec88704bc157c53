# programs that sleep on purpose
#
# Question: why does this process not run?
#
# One line for each nanosleep(2) and clock_nanosleep(2), and for each select, pselect6, poll and ppoll that waits for
# no file, as programs sleep, too: who slept, and how long.
#
#     $ culprit naptime
#     $ culprit naptime 100ms
#
# Columns: TIME, PPID, PID, COMM, SLEPT.
#
# Example:
#
#     $ culprit naptime -- sh -c 'sleep 0.1; usleep 2000'
#     TIME         PPID    PID     COMM                SLEPT(us)
#     19:37:58.007 495     499     sleep              110294.072
#     19:37:58.278 472     495     usleep               7024.637
#
# usleep asked for 2 ms and slept 7 ms: the CPUs were busy when it should have woken.
param min: duration = 0ms "only sleeps longer than this; without a unit: ms"

syscall:nanosleep, syscall:clock_nanosleep,
(syscall:select, syscall:pselect6 | where coalesce(n, 1) == 0), (syscall:poll, syscall:ppoll | where coalesce(nfds, 1) == 0)
| where duration >= $min
| print time, ppid, pid, comm, slept = duration
