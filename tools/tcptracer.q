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
# Columns: TIME, TYPE (C connected, A accepted, X closed, shut down or reset), PID and COMM (whose call did it; 0 of an X
# if the other end reset the connection), LADDR and LPORT (local end), RADDR and RPORT (remote end). What io_uring accepts
# is no system call: it has no A.
#
# Example:
#
#     $ culprit tcptracer -- python3 connections.py
#     TIME         TYPE             PID     COMM             LADDR               LPORT RADDR               RPORT
#     02:07:33.659 C                14251   cli              127.0.0.1           39252 127.0.0.1           52875
#     02:07:33.665 A                14437   srv              127.0.0.1           52875 127.0.0.1           39252
#     02:07:33.772 X                14437   srv              127.0.0.1           52875 127.0.0.1           39252
#     02:07:33.772 X                14251   cli              127.0.0.1           39252 127.0.0.1           52875
#
# Both ends are on this machine: cli connects (C), srv accepts (A), 0.1 s later srv closes its end (X), then cli.
param lport: int "only this local port"
param rport: int "only this remote port"

# The handshake and the last segment come in softirqs, which run in anybody: who called tells the process.
def connects = from sock:inet_sock_set_state where newstate == TCP_SYN_SENT
	to sock:inet_sock_set_state where oldstate == TCP_SYN_SENT && newstate == TCP_ESTABLISHED on skaddr
	| let type = "C", who = begin.current.pid, name = begin.current.comm, laddr = ip(end.saddr_v6), lport = end.sport,
	      raddr = ip(end.daddr_v6), rport = end.dport
def accepts = syscall:accept, syscall:accept4
	| where ret >= 0
	| let sk = (file(ret).private_data as struct socket).sk
	| where sk.sk_protocol == 6
	| let type = "A", who = pid, name = comm, laddr = sk.__sk_common.skc_family == 10 ? ip(sk.__sk_common.skc_v6_rcv_saddr)
	                          : ip(sk.__sk_common.skc_rcv_saddr),
	      lport = port((sk as struct inet_sock).inet_sport),
	      raddr = sk.__sk_common.skc_family == 10 ? ip(sk.__sk_common.skc_v6_daddr) : ip(sk.__sk_common.skc_daddr),
	      rport = port(sk.__sk_common.skc_dport)
# A close behind a shutdown sets the same state once more, while the other end has not confirmed it.
def closes = sock:inet_sock_set_state
	| where newstate in (TCP_FIN_WAIT1, TCP_LAST_ACK) && oldstate != newstate
	        || newstate == TCP_CLOSE && oldstate in (TCP_ESTABLISHED, TCP_CLOSE_WAIT) && (skaddr as struct sock).sk_shutdown == 3
	| let type = "X", who = current.pid, name = current.comm, laddr = ip(saddr_v6), lport = sport, raddr = ip(daddr_v6),
	      rport = dport
# By the other end: this one is not shut down.
def resets = sock:inet_sock_set_state
	| where newstate == TCP_CLOSE && oldstate in (TCP_ESTABLISHED, TCP_CLOSE_WAIT) && (skaddr as struct sock).sk_shutdown != 3
	| let type = "X", nobody = 0 as struct task_struct, who = nobody.tgid, name = nobody.comm, laddr = ip(saddr_v6), lport = sport,
	      raddr = ip(daddr_v6), rport = dport

connects, accepts, closes, resets
| where lport == $lport
| where rport == $rport
| print time, type, pid = who, comm = name, laddr, lport, raddr, rport
