# slow queries of a MariaDB or MySQL server
#
# Question: X is slow: what is it doing all the time?
#
# One line for each query on which the server worked longer than --min: from when its thread has the
# text until it waits for the next query. It uses MySQL's static probes where the server was built
# with them, else MariaDB's function dispatch_command, or the function that you name, whose first
# argument must be the text. dbslower does the same for other servers. A client after `--` shows
# nothing: it does not start the server, which does the work.
#
#     $ culprit mysqld_qslower /usr/sbin/mariadbd
#     $ culprit mysqld_qslower /usr/sbin/mariadbd --min 0 -p 1234
#
# Columns: TIME (end of the query), PID, TID (the connection's thread), LATENCY, QUERY (its text).
#
# Example:
#
#     $ culprit mysqld_qslower /usr/sbin/mariadbd -p 18424
#     TIME         PID     TID      LATENCY(us) QUERY
#     20:04:56.341 18424   18813    6497906.995 SELECT BENCHMARK(3000000, MD5(1))
#     20:04:56.413 18424   18813      71733.897 SELECT SLEEP(0.05)
#
# One connection (TID), two slow queries: 6.5 s and 72 ms.
param server: source "the server: /usr/sbin/mariadbd, or its function: PATH:mysql_execute"
param min:    duration = 1ms "only queries slower than this (0: all)"

def asked =
	($server() | let query = str(arg0))
	else (from usdt:$server:mysql:query__start to usdt:$server:mysql:query__done
	      | let query = str(begin.arg0))
	else ($server:dispatch_command() | where arg0 == 3 | let query = str(arg2))

asked
| where duration >= $min
| print time, pid, tid, latency = duration, query
