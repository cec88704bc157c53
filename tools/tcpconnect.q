# TCP connections that programs here begin
#
# Question: who uses the network?
#
# One line for each TCP connection that a program on this machine begins. With -c a count by address.
#
#     $ culprit tcpconnect
#     $ culprit tcpconnect -c -d 60
#
# Columns: TIME, PID, COMM, RADDR and RPORT (remote end); with -c CONNECTIONS, without TIME.
#
# Example:
#
#     $ culprit tcpconnect -- wget -q -O /dev/null http://127.0.0.1/big
#     TIME         PID     COMM             RADDR               RPORT
#     19:38:17.191 597     wget             127.0.0.1              80
#
# wget connects to port 80 of this machine. Refused connections are shown, too: see tcpconnlat.
param counts c: flag "count by address"
param rport:    int  "only this remote port"

def begun = sock:inet_sock_set_state | where newstate == TCP_SYN_SENT && dport == $rport
            | let pid = current.pid, comm = current.comm, raddr = ip(daddr_v6), rport = dport
begun
| print time, pid, comm, raddr, rport if !$counts if !$counts
| comm = last(comm) if $counts, connections = count by pid, raddr, rport if $counts if $counts
| print pid, comm, raddr, rport, connections if $counts if $counts
