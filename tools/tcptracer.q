# TCP connections that open and close
#
# Question: who uses the network?
#
# One line for each TCP connection that this machine opens (C) or accepts (A), and for each that
# closes (X), by either side.
#
#     $ culprit tcptracer
#     $ culprit tcptracer --lport 443
#
# Columns: TIME, TYPE (C connect, A accept, X close), PID and COMM (the running process; for A often
# unrelated: tcpaccept shows who accepts), LADDR and LPORT (local end), RADDR and RPORT (remote end).
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
# Both ends are on this machine: wget connects (C), the server accepts (A), 0.4 s later both close (X).
param lport: int "only this local port"
param rport: int "only this remote port"

sock:inet_sock_set_state
| where newstate == TCP_ESTABLISHED || newstate == TCP_CLOSE && oldstate != TCP_SYN_SENT && oldstate != TCP_LISTEN
| where sport == $lport
| where dport == $rport
| print time, type = newstate == TCP_CLOSE ? "X" : oldstate == TCP_SYN_SENT ? "C" : "A",
        pid = current.pid, comm = current.comm, laddr = ip(saddr_v6), lport = sport,
        raddr = ip(daddr_v6), rport = dport
