# queries of a MariaDB or MySQL server that were slow
#
# Question: X is slow: what is it doing all the time?
#
# One line for each query that the server worked on for longer than --min, from when its
# thread has the text until it waits for the next: MySQL's static probes where it was built
# with them, else MariaDB's function dispatch_command, or the function that is given, whose first
# argument is the text. dbslower is the same for other servers. A client behind `--` shows nothing:
# the work is the server's, which it did not start.
#
#     $ culprit mysqld_qslower /usr/sbin/mariadbd
#     $ culprit mysqld_qslower /usr/sbin/mariadbd --min 0 -p 1234
#
# Columns: TIME of the end, PID, TID of the connection's thread, LATENCY, QUERY its text.
#
# Example:
#
#     $ culprit mysqld_qslower /usr/sbin/mariadbd -p 18424
#     TIME         PID     TID      LATENCY(us) QUERY
#     20:04:56.341 18424   18813    6497906.995 SELECT BENCHMARK(3000000, MD5(1))
#     20:04:56.413 18424   18813      71733.897 SELECT SLEEP(0.05)
#
# Two slow queries of one connection (TID), 6.5 s and 72 ms.
param server: source "the server: /usr/sbin/mariadbd, or its function: PATH:mysql_execute"
param min:    duration = 1ms "slower than this only (0: all)"

def asked =
	($server() | let query = str(arg0))
	else (from usdt:$server:mysql:query__start to usdt:$server:mysql:query__done
	      | let query = str(begin.arg0))
	else ($server:dispatch_command() | where arg0 == 3 | let query = str(arg2))

asked
| where duration >= $min
| print time, pid, tid, latency = duration, query
