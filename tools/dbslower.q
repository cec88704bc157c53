# slow queries of a database server
#
# Question: X is slow: what is it doing all the time?
#
# One line for each query on which the server worked longer than --min. It uses the static probes
# query__start and query__done of PostgreSQL and MySQL where the server was built with them (like
# Debian's PostgreSQL), else MariaDB's function dispatch_command. Instead of a server you can name
# any function whose first argument is the text. Not shown for PostgreSQL: prepared queries (the
# extended protocol) and queries that end in an error.
#
#     $ culprit dbslower /usr/lib/postgresql/15/bin/postgres
#     $ culprit dbslower /usr/sbin/mariadbd --min 100us --query 'SELECT *'
#     $ culprit dbslower /opt/pg/bin/postgres:exec_simple_query
#
# Columns: TIME (end of the query), PID, TID, COMM, LATENCY, QUERY (its text).
#
# Example:
#
#     $ culprit dbslower /usr/lib/postgresql/15/bin/postgres
#     TIME         PID     TID     COMM              LATENCY(us) QUERY
#     20:00:17.052 6428    6428    postgres           741735.600 SELECT count(*) FROM generate_series(1, 300000);
#     20:00:17.163 6428    6428    postgres            78544.539 SELECT pg_sleep(0.05);
#
# One connection, two slow queries. `culprit offcputime -p 6428` shows whether the server waits or computes.
param server: source "the server: /usr/sbin/mariadbd, or its function: PATH:exec_simple_query"
param min:    duration = 1ms "only queries slower than this (0: all)"
param query:  glob "only queries whose text matches"

def asked =
	($server() | let query = str(arg0))
	else (from usdt:$server:query__start to usdt:$server:query__done
	      | let query = str(begin.arg0))
	else ($server:dispatch_command() | where arg0 == 3 | let query = str(arg2))

asked
| where duration >= $min
| where query ~ $query
| print time, pid, tid, comm, latency = duration, query
