# TCP connections as they open and close
#
# Question: who uses the network?
#
# One line for each connection that opens, from here (C) or from elsewhere (A), and for each
# that closes (X), on this side or by the other.
#
#     $ culprit tcptracer
#     $ culprit tcptracer --lport 443
#
# Columns: TIME, TYPE (C connect, A accept, X close), PID and COMM of who ran then, for A often a
# bystander: tcpaccept knows who took it; LADDR and LPORT the end here, RADDR and RPORT the other.
#
# Example:
#
#     $ culprit tcptracer -- wget -q -O /dev/null http://127.0.0.1/big
#     TIME         TYPE             PID     COMM             LADDR               LPORT RADDR               RPORT
#     19:58:27.124 C                257     wget             127.0.0.1           39218 127.0.0.1              80
#     19:58:27.125 A                257     wget             127.0.0.1              80 127.0.0.1           39218
#     19:58:27.492 X                257     wget             127.0.0.1              80 127.0.0.1           39218
#     19:58:27.515 X                257     wget             127.0.0.1           39218 127.0.0.1              80
#
# Both ends are on this machine: wget's connect (C), the server's accept (A), and 0.4 s later both close.
param lport: int "this local port only"
param rport: int "this remote port only"

sock:inet_sock_set_state
| where newstate == TCP_ESTABLISHED || newstate == TCP_CLOSE && oldstate != TCP_SYN_SENT && oldstate != TCP_LISTEN
| where sport == $lport
| where dport == $rport
| print time, type = newstate == TCP_CLOSE ? "X" : oldstate == TCP_SYN_SENT ? "C" : "A",
        pid = current.pid, comm = current.comm, laddr = ip(saddr_v6), lport = sport,
        raddr = ip(daddr_v6), rport = dport
