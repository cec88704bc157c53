# TCP connections: how long connecting takes
#
# Question: is the network slow, or does it lose packets?
#
# One line for each connection begun on this machine: the time from its first packet until the answer.
#
#     $ culprit tcpconnlat
#     $ culprit tcpconnlat 10ms
#
# Columns: TIME, PID and COMM (who began it), RADDR and RPORT (remote end), LPORT, RESULT (open or
# refused), LATENCY.
#
# Example:
#
#     $ culprit tcpconnlat
#     TIME         PID     COMM             RADDR               RPORT    LPORT RESULT            LATENCY(us)
#     19:38:17.331 594     wget             127.0.0.1              80    60504 open                  742.373
#     19:38:17.660 595     wget             127.0.0.1              80    60516 open                  518.440
#     19:38:18.452 598     wget             127.0.0.1              81    39228 refused              8414.213
#
# Connecting takes one round trip, here 0.5 to 0.7 ms on the same machine. No program listens on port 81.
param min: duration = 0ms "only connections slower than this; without a unit: ms"

from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
  to sock:inet_sock_set_state where oldstate == TCP_SYN_SENT on skaddr
| where duration >= $min
| print time, pid = begin.current.pid, comm = begin.current.comm, raddr = ip(end.daddr_v6), rport = end.dport,
        lport = end.sport, result = end.newstate == TCP_ESTABLISHED ? "open" : "refused", latency = duration
