# TCP connections that programs here accept
#
# Question: who uses the network?
#
# One line for each TCP connection that a program on this machine accepts. What io_uring accepts makes no such
# call: it is not shown (tcpstates shows it).
#
#     $ culprit tcpaccept
#     $ culprit tcpaccept --lport 443
#
# Columns: TIME, PID and COMM (who accepted), RADDR and RPORT (remote end), LPORT (local port), WAITED
# (how long accept(2) took).
#
# Example:
#
#     $ culprit tcpaccept -d 6
#     TIME         PID     COMM             RADDR               RPORT    LPORT   WAITED(us)
#     19:58:34.874 169     httpd            127.0.0.1           47316       80   677691.534
#     19:58:35.779 169     httpd            127.0.0.1           47324       80   903419.562
#
# httpd waited 0.7 and 0.9 s in accept: it is not busy. Near zero would mean that connections were queued.
param lport: int "only this local port"

syscall:accept, syscall:accept4
| where ret >= 0
| let sk = (file(ret).private_data as struct socket).sk
| where sk.sk_protocol == 6
| where port((sk as struct inet_sock).inet_sport) == $lport
| print time, pid, comm, raddr = sk.__sk_common.skc_family == 10 ? ip(sk.__sk_common.skc_v6_daddr)
        : ip(sk.__sk_common.skc_daddr), rport = port(sk.__sk_common.skc_dport),
        lport = port((sk as struct inet_sock).inet_sport), waited = duration
