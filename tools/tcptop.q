# TCP traffic by process and connection
#
# Question: who uses the network?
#
# Every second the connections that moved the most bytes, as programs sent and received them.
#
#     $ culprit tcptop
#     $ culprit tcptop 5 --rows 10
#
# Columns: PID, COMM, RADDR and RPORT the other end, LPORT; SENT and RECEIVED bytes.
#
# Example:
#
#     $ culprit tcptop 60 -- wget -q -O /dev/null http://127.0.0.1/big
#     PID  COMM  RADDR      RPORT  LPORT  SENT(bytes)  RECEIVED(bytes)  ALL(bytes)
#     248  wget  127.0.0.1     80  39202           75          2097345     2097420
#
# A request of 75 bytes, and 2 MB as the answer.
param rows: int = 20 "so many rows"

def sent     = (sock:sock_send_length | let n = ret, s = sk as struct sock)
               else (tcp_sendmsg() | let n = ret, s = sk)
def received = (sock:sock_recv_length | let n = ret, s = sk as struct sock)
               else (tcp_recvmsg() | let n = ret, s = sk)
table sent     = (sent | where n > 0 && s.sk_protocol == 6
                  | sum(n * 1B) by pid, comm, raddr = s.__sk_common.skc_family == 10
                    ? ip(s.__sk_common.skc_v6_daddr) : ip(s.__sk_common.skc_daddr),
                    rport = port(s.__sk_common.skc_dport), lport = s.__sk_common.skc_num),
      received = (received | where n > 0 && s.sk_protocol == 6
                  | sum(n * 1B) by pid, comm, raddr = s.__sk_common.skc_family == 10
                    ? ip(s.__sk_common.skc_v6_daddr) : ip(s.__sk_common.skc_daddr),
                    rport = port(s.__sk_common.skc_dport), lport = s.__sk_common.skc_num)
| let all = sent + received
| top $rows by all
| every 1s
