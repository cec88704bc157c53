# TCP: how full the queues of listening sockets are
#
# Question: is the network slow, or does it lose packets?
# Instead: `ss -ltn`: shows the queues at one moment
#
# For each incoming connection: how many connections of the same socket already wait for accept(2).
# When LIMIT connections wait, new ones are dropped.
#
#     $ culprit tcpsynbl -d 10
#
# Columns: LPORT, LIMIT (the socket's backlog), CONNECTIONS (that came), LONGEST (queue), the
# histogram of queue lengths.
#
# Example:
#
#     $ culprit tcpsynbl -d 2
#     lport = 80, limit = 9
#     connections = 13, longest = 0
#          sk.sk_ack_backlog   : count     distribution
#              0 -> 1          : 13       |****************************************|
#
# All 13 connections met an empty queue (limit 9): the server accepts quickly enough.
tcp_v4_syn_recv_sock().enter, tcp_v6_syn_recv_sock().enter
| connections = count, longest = max(sk.sk_ack_backlog), hist(sk.sk_ack_backlog)
  by lport = sk.__sk_common.skc_num, limit = sk.sk_max_ack_backlog
