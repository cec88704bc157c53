# TCP connections when they end: how long, how much
#
# Question: who uses the network?
#
# One line for each connection that closes: who opened it, its addresses, bytes and duration.
# Connections that were open before the tool started are not shown.
#
#     $ culprit tcplife
#     $ culprit tcplife --rport 443
#
# Columns: TIME, PID and COMM (who began it; for accepted connections often an unrelated process),
# LADDR and LPORT (local end), RADDR and RPORT (remote end), TX and RX (bytes), DURATION.
#
# Example:
#
#     $ culprit tcplife --rport 80
#     TIME         PID     COMM             LADDR               LPORT RADDR               RPORT  TX(bytes)  RX(bytes) DURATION(us)
#     19:38:17.596 596     wget             127.0.0.1           60500 127.0.0.1              80         77    2097346   384374.028
#     19:38:17.628 594     wget             127.0.0.1           60504 127.0.0.1              80         77    2097346   297448.013
#
# Each time a request of 77 bytes and an answer of 2 MB, in 0.4 s and 0.3 s.
param lport: int "only this local port"
param rport: int "only this remote port"

from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
                                 || oldstate == TCP_SYN_RECV && newstate == TCP_ESTABLISHED
  to sock:inet_sock_set_state where newstate == TCP_CLOSE on skaddr keep first
| where end.sport == $lport
| where end.dport == $rport
| let tp = end.skaddr as struct tcp_sock
| print time, pid = begin.current.pid, comm = begin.current.comm, laddr = ip(end.saddr_v6), lport = end.sport,
        raddr = ip(end.daddr_v6), rport = end.dport, tx = tp.bytes_acked * 1B, rx = tp.bytes_received * 1B,
        duration
