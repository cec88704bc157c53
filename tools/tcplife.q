# TCP connections when they end: how long, how much
#
# Question: who uses the network?
#
# One line for each connection that closes: who opened it, its ends, the bytes and the time. What was open
# before the start is not shown.
#
#     $ culprit tcplife
#     $ culprit tcplife --rport 443
#
# Columns: TIME, PID and COMM of who began it (of one that was accepted often a bystander), LADDR and LPORT the
# local end, RADDR and RPORT the remote one, TX and RX bytes sent and received, DURATION.
#
# Example:
#
#     $ culprit tcplife --rport 80
#     TIME         PID     COMM             LADDR               LPORT RADDR               RPORT  TX(bytes)  RX(bytes) DURATION(us)
#     19:38:17.596 596     wget             127.0.0.1           60500 127.0.0.1              80         77    2097346   384374.028
#     19:38:17.628 594     wget             127.0.0.1           60504 127.0.0.1              80         77    2097346   297448.013
#
# A request of 77 bytes, 2 MB as the answer, in 0.4 s and 0.3 s.
param lport: int "this local port only"
param rport: int "this remote port only"

from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
                                 || oldstate == TCP_SYN_RECV && newstate == TCP_ESTABLISHED
  to sock:inet_sock_set_state where newstate == TCP_CLOSE on skaddr keep first
| where end.sport == $lport
| where end.dport == $rport
| let tp = end.skaddr as struct tcp_sock
| print time, pid = begin.current.pid, comm = begin.current.comm, laddr = ip(end.saddr_v6), lport = end.sport,
        raddr = ip(end.daddr_v6), rport = end.dport, tx = tp.bytes_acked * 1B, rx = tp.bytes_received * 1B,
        duration
