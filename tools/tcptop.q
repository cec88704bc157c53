# TCP traffic by process and connection
#
# Question: who uses the network?
#
# Every second: the connections with the most bytes that programs sent and received.
#
#     $ culprit tcptop
#     $ culprit tcptop 5 --top 10
#
# Columns: PID, COMM, RADDR and RPORT (remote end), LPORT, SENT, RECEIVED and ALL (bytes).
#
# Example:
#
#     $ culprit tcptop 60 -- wget -q -O /dev/null http://127.0.0.1/big
#     PID  COMM  RADDR      RPORT  LPORT  SENT(bytes)  RECEIVED(bytes)  ALL(bytes)
#     248  wget  127.0.0.1     80  39202           75          2097345     2097420
#
# wget sent a request of 75 bytes and received an answer of 2 MB.
param top:  int = 20 "show at most N rows"

def sent     = (sock:sock_send_length | let n = ret, s = sk as struct sock, out = true)
               else (tcp_sendmsg().return | let n = ret, s = sk, out = true)
def received = (sock:sock_recv_length | let n = ret, s = sk as struct sock, out = false)
               else (tcp_recvmsg().return | let n = ret, s = sk, out = false)
sent, received
| where n > 0 && s.sk_protocol == 6
| comm = any(comm), sent = sum(n * 1B) where out, received = sum(n * 1B) where !out, all = sum(n * 1B)
  by pid, raddr = s.__sk_common.skc_family == 10
                  ? ip(s.__sk_common.skc_v6_daddr) : ip(s.__sk_common.skc_daddr),
     rport = port(s.__sk_common.skc_dport), lport = port((s as struct inet_sock).inet_sport)
| top $top by all
| print pid, comm, raddr, rport, lport, sent, received, all
| every 1s
