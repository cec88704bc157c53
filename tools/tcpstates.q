# TCP connections: changes of state, and how long the old one was
#
# Question: is the network slow, or does it lose packets?
#
# One line for each change of state of a TCP socket.
#
#     $ culprit tcpstates
#     $ culprit tcpstates --rport 443
#
# Columns: TIME, SOCKET, PID and COMM (the running process), LADDR, LPORT, RADDR, RPORT, OLD and NEW
# (state), DURATION (of the old state).
#
# Example:
#
#     $ culprit tcpstates --rport 80
#     TIME         SOCKET             PID     COMM             LADDR               LPORT RADDR               RPORT OLD          NEW          DURATION(us)
#     19:58:28.421 0xff146aab42135580 266     wget             127.0.0.1           39224 127.0.0.1              80 SYN_SENT     ESTABLISHED       650.740
#     19:58:28.562 0xff146aab42135580 266     wget             127.0.0.1           39224 127.0.0.1              80 ESTABLISHED  CLOSE_WAIT     141165.150
#     19:58:28.569 0xff146aab42135580 266     wget             127.0.0.1           39224 127.0.0.1              80 CLOSE_WAIT   LAST_ACK         7119.897
#     19:58:28.570 0xff146aab42135580 266     wget             127.0.0.1           39224 127.0.0.1              80 LAST_ACK     CLOSE             681.849
#
# Open after 0.65 ms, in use for 141 ms. The server closed first (CLOSE_WAIT), wget 7 ms later.
param lport: int "only this local port"
param rport: int "only this remote port"

def changed = (from sock:inet_sock_set_state to sock:inet_sock_set_state on skaddr)
changed
| where end.sport == $lport
| where end.dport == $rport
| print time, socket = end.skaddr, pid = end.current.pid, comm = end.current.comm, laddr = ip(end.saddr_v6),
        lport = end.sport, raddr = ip(end.daddr_v6), rport = end.dport,
        old = tcpstate(end.oldstate), new = tcpstate(end.newstate), duration
