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
# Columns: TIME, PID and COMM (who opened it; of an accepted connection who closed or shut down this end;
# - if the other end reset it), LADDR and LPORT (local end), RADDR and RPORT (remote end), TX and RX (bytes), DURATION.
#
# Example:
#
#     $ culprit tcplife --rport 80
#     TIME         PID     COMM             LADDR               LPORT RADDR               RPORT  TX(bytes)  RX(bytes) DURATION(us)
#     23:02:19.204 165     wget             127.0.0.1           49882 127.0.0.1              80         75    2097345   218248.387
#     23:02:19.328 168     wget             127.0.0.1           49892 127.0.0.1              80         75    2097345    65705.172
#
# Each time a request of 75 bytes and an answer of 2 MB, in 0.2 s and 0.07 s.
param lport: int "only this local port"
param rport: int "only this remote port"

from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
                                 || oldstate == TCP_SYN_RECV && newstate == TCP_ESTABLISHED
  via sock:inet_sock_set_state where newstate in (TCP_FIN_WAIT1, TCP_LAST_ACK)
  to sock:inet_sock_set_state where newstate == TCP_CLOSE on skaddr keep first
| where end.sport == $lport
| where end.dport == $rport
| let tp = end.skaddr as struct tcp_sock, sk = end.skaddr as struct sock, opened = begin.newstate == TCP_SYN_SENT,
      reset = end.oldstate in (TCP_ESTABLISHED, TCP_CLOSE_WAIT) && sk.sk_shutdown == 3,
# SYN and FIN take numbers as bytes do, but are none. The flag is SOCK_DONE: a FIN has come.
      syn = opened && tp.bytes_acked != 0 ? 1 : 0,
      fin_out = end.oldstate in (TCP_FIN_WAIT1, TCP_FIN_WAIT2, TCP_CLOSING, TCP_LAST_ACK)
                && tp.snd_una == tp.write_seq ? 1 : 0,
      fin_in = (sk.__sk_common.skc_flags >> 1) & 1
| print time, pid = opened ? begin.current.pid : reset ? end.current.pid : via.current.pid,
        comm = opened ? begin.current.comm : reset ? end.current.comm : via.current.comm,
        laddr = ip(end.saddr_v6), lport = end.sport, raddr = ip(end.daddr_v6), rport = end.dport,
        tx = (tp.bytes_acked - syn - fin_out) * 1B, rx = (tp.bytes_received - fin_in) * 1B, duration
