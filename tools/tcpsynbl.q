# TCP: how full the queues of listening sockets are
#
# Question: is the network slow, or does it lose packets?
# Instead: `ss -ltn`: the queues at one moment
#
# At each connection that comes in, how many of its socket wait for accept(2) already. What
# comes when LIMIT are there is dropped.
#
#     $ culprit tcpsynbl -d 10
#
# Columns: LPORT the port, LIMIT the socket's backlog; CONNECTIONS that came, LONGEST queue that
# one met, the histogram of the queues.
#
# Example:
#
#     $ culprit tcpsynbl -d 2
#     lport = 80, limit = 9
#     connections = 13, longest = 0
#          sk.sk_ack_backlog   : count     distribution
#              0 -> 1          : 13       |****************************************|
#
# Each of the 13 met an empty queue of 9: the server accepts quickly enough.
tcp_v4_syn_recv_sock().enter, tcp_v6_syn_recv_sock().enter
| connections = count, longest = max(sk.sk_ack_backlog), hist(sk.sk_ack_backlog)
  by lport = sk.__sk_common.skc_num, limit = sk.sk_max_ack_backlog
