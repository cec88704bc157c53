# TCP connections: how long it takes to connect
#
# Question: is the network slow, or does it lose packets?
#
# One line for each connection begun here: the time from the first packet until it was answered.
#
#     $ culprit tcpconnlat
#     $ culprit tcpconnlat 10ms
#
# Columns: TIME, PID, COMM of who began it, RADDR and RPORT the other end, LPORT, RESULT (open, or refused), LATENCY.
#
# Example:
#
#     $ culprit tcpconnlat
#     TIME         PID     COMM             RADDR               RPORT    LPORT RESULT            LATENCY(us)
#     19:38:17.331 594     wget             127.0.0.1              80    60504 open                  742.373
#     19:38:17.660 595     wget             127.0.0.1              80    60516 open                  518.440
#     19:38:18.452 598     wget             127.0.0.1              81    39228 refused              8414.213
#
# It takes a round trip and the other side's kernel; on the same machine 0.5 ms. Nobody listens on port 81.
param min: duration = 0ms "slower than this only; a bare number is ms"

from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
  to sock:inet_sock_set_state where oldstate == TCP_SYN_SENT on skaddr
| where duration >= $min
| print time, pid = begin.current.pid, comm = begin.current.comm, raddr = ip(end.daddr_v6), rport = end.dport,
        lport = end.sport, result = end.newstate == TCP_ESTABLISHED ? "open" : "refused", latency = duration
