# TCP: how long data waits until its program reads it
#
# Question: is the network slow, or does it lose packets?
#
# One line for each read of a connection whose data had waited longer than MIN: the time
# from when its first packet came until it was read. It is the program that is late.
#
#     $ culprit tcppktlat 10ms
#     $ culprit tcppktlat 0 --lport 80
#
# Columns: TIME, PID, TID, COMM of who read, LADDR and LPORT the end here, RADDR and RPORT the other,
# LATENCY.
#
# Example:
#
#     $ culprit tcppktlat 1 -d 3
#     TIME         PID     TID     COMM             LADDR               LPORT RADDR               RPORT  LATENCY(us)
#     19:40:22.792 1229    1229    chores           127.0.0.1           55052 127.0.0.1           55779    15457.195
#
# Data was there for 15 ms until chores read it: the program (or its CPU) is late, not the network.
param min:   duration = 1ms "slower than this only; a bare number is ms"
param lport: int "this local port only"
param rport: int "this remote port only"

from tcp:tcp_probe where data_len > 0
  to (tcp:tcp_rcv_space_adjust, tcp:tcp_destroy_sock) on sock_cookie keep first
| where duration >= $min && end.event == tcp_rcv_space_adjust
| where end.sport == $lport
| where end.dport == $rport
| print time, pid = end.current.pid, tid = end.current.tid, comm = end.current.comm,
        laddr = ip(end.saddr_v6), lport = end.sport, raddr = ip(end.daddr_v6), rport = end.dport,
        latency = duration
