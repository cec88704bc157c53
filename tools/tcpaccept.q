# TCP connections as they are accepted
#
# Question: who uses the network?
#
# One line for each connection that a program here accepts.
#
#     $ culprit tcpaccept
#     $ culprit tcpaccept --lport 443
#
# Columns: TIME, PID, COMM of who accepted, RADDR and RPORT the other end, LPORT the port here, WAITED how long
# accept(2) took.
#
# Example:
#
#     $ culprit tcpaccept -d 6
#     TIME         PID     COMM             RADDR               RPORT    LPORT   WAITED(us)
#     19:58:34.874 169     httpd            127.0.0.1           47316       80   677691.534
#     19:58:35.779 169     httpd            127.0.0.1           47324       80   903419.562
#
# httpd waited (in accept) 0.7 and 0.9 s until somebody came: it has time. Near zero: it has a queue.
param lport: int "this local port only"

syscall:accept, syscall:accept4
| where ret >= 0
| let sk = (file(ret).private_data as struct socket).sk
| where sk.sk_protocol == 6
| where sk.__sk_common.skc_num == $lport
| print time, pid, comm, raddr = sk.__sk_common.skc_family == 10 ? ip(sk.__sk_common.skc_v6_daddr)
        : ip(sk.__sk_common.skc_daddr), rport = port(sk.__sk_common.skc_dport),
        lport = sk.__sk_common.skc_num, waited = duration
