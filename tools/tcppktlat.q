# TCP: how long data waits until its program reads it
#
# Question: is the network slow, or does it lose packets?
#
# One line for each read of a connection whose data had waited longer than --min: the time from when
# the first packet came until the program read it.
#
#     $ culprit tcppktlat 10ms
#     $ culprit tcppktlat 0 --lport 80
#
# Columns: TIME, PID, TID and COMM (the reader), LADDR and LPORT (local end), RADDR and RPORT (remote
# end), LATENCY.
#
# Example:
#
#     $ culprit tcppktlat 1 -d 3
#     TIME         PID     TID     COMM             LADDR               LPORT RADDR               RPORT  LATENCY(us)
#     19:40:22.792 1229    1229    chores           127.0.0.1           55052 127.0.0.1           55779    15457.195
#
# The data waited 15 ms until chores read it: the program (or its CPU) is late, not the network.
param min:   duration = 1ms "only reads later than this; without a unit: ms"
param lport: int "only this local port"
param rport: int "only this remote port"

from tcp:tcp_probe where data_len > 0
  to (tcp:tcp_rcv_space_adjust, tcp:tcp_destroy_sock) on sk keep first
| where duration >= $min && end.event == tcp_rcv_space_adjust
| where end.sport == $lport
| where end.dport == $rport
| print time, pid = end.current.pid, tid = end.current.tid, comm = end.current.comm,
        laddr = ip(end.saddr_v6), lport = end.sport, raddr = ip(end.daddr_v6), rport = end.dport,
        latency = duration
