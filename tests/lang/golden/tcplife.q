# tcplife: the first transition begins
from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
                                 || oldstate == TCP_SYN_RECV && newstate == TCP_ESTABLISHED
  to sock:inet_sock_set_state where newstate == TCP_CLOSE on skaddr keep first
| let tp = end.skaddr as struct tcp_sock
| print begin.current.comm, duration, tp.bytes_acked, tp.bytes_received
