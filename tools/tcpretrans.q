# TCP segments that were sent again
#
# Question: does the network lose packets?
#
# One line for each retransmission, or with -c how many each connection had.
#
#     $ culprit tcpretrans
#     $ culprit tcpretrans -c -d 60
#
# Columns: TIME, PID of who was running (often not the sender: a timer did it), LADDR
# and LPORT the local end, RADDR and RPORT the remote one, STATE of the connection; with
# -c RETRANSMITS.
param counts c: flag "count by connection"

def retransmit = tcp:tcp_retransmit_skb
                 | let laddr = ip(saddr_v6), lport = sport, raddr = ip(daddr_v6), rport = dport,
                       name = state == TCP_ESTABLISHED ? "ESTABLISHED"
                            : state == TCP_SYN_SENT ? "SYN_SENT" : state == TCP_SYN_RECV ? "SYN_RECV"
                            : state == TCP_FIN_WAIT1 ? "FIN_WAIT1" : state == TCP_CLOSE_WAIT ? "CLOSE_WAIT"
                            : state == TCP_CLOSING ? "CLOSING" : state == TCP_LAST_ACK ? "LAST_ACK" : "-"
retransmit
| print time, pid = current.pid, laddr, lport, raddr, rport, state = name if !$counts if !$counts
| retransmits = count by laddr, lport, raddr, rport if $counts if $counts
| sort -retransmits if $counts
