# programs that sleep on purpose
#
# Question: why does this process not run?
#
# One line for each nanosleep(2) and clock_nanosleep(2): who sleeps, and how long it did.
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
# usleep asked for 2 ms and slept 7: the machine was busy when it should have gone on.
param min: duration = 0ms "longer than this only; a bare number is ms"

syscall:nanosleep, syscall:clock_nanosleep
| where duration >= $min
| print time, ppid, pid, comm, slept = duration
