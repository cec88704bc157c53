# TCP segments that were sent again
#
# Question: is the network slow, or does it lose packets?
#
# One line for each retransmission, or with -c how many each connection had.
#
#     $ culprit tcpretrans
#     $ culprit tcpretrans -c -d 60
#
# Columns: TIME, PID (the running process, often not the sender: a timer sends again), LADDR and
# LPORT (local end), RADDR and RPORT (remote end), STATE (of the connection); with -c RETRANSMITS.
#
# Example:
#
#     $ culprit tcpretrans -c -- trouble lossy 400
#     LADDR      LPORT  RADDR      RPORT  RETRANSMITS
#     127.0.0.1  56978  127.0.0.1   8080           11
#
# Of the 400 segments of this connection 11 were sent again.
param counts c: flag "count by connection"

def retransmit = tcp:tcp_retransmit_skb
                 | let laddr = ip(saddr_v6), lport = sport, raddr = ip(daddr_v6), rport = dport
retransmit
| print time, pid = current.pid, laddr, lport, raddr, rport, state = tcpstate(state) if !$counts if !$counts
| retransmits = count by laddr, lport, raddr, rport if $counts if $counts
| sort -retransmits if $counts
