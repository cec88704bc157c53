# command lines typed at shells
#
# Question: what is started, and how does it end?
#
# One line for each line that an interactive bash reads.
#
#     $ culprit bashreadline
#
# Columns: TIME, PID, LINE.
#
# Example:
#
#     $ culprit bashreadline
#     TIME         PID     LINE
#     19:38:47.193 22024   ls /mnt
#     19:38:47.230 22024   make test
#
# Both lines were typed in the same shell (PID).
/bin/bash:readline().return
| where ret != 0
| print time, pid, line = str(ret)
