# TCP connections as they are begun here
#
# Question: who uses the network?
#
# One line for each connection that a program here begins (with -c how many to each address).
#
#     $ culprit tcpconnect
#     $ culprit tcpconnect -c -d 60
#
# Columns: TIME, PID, COMM, RADDR and RPORT where to; with -c CONNECTIONS.
#
# Example:
#
#     $ culprit tcpconnect -- wget -q -O /dev/null http://127.0.0.1/big
#     TIME         PID     COMM             RADDR               RPORT
#     19:38:17.191 597     wget             127.0.0.1              80
#
# wget talks to port 80 of this machine. A port that nobody listens on is seen, too: see tcpconnlat.
param counts c: flag "count by address"
param rport:    int  "this remote port only"

def begun = sock:inet_sock_set_state | where newstate == TCP_SYN_SENT && dport == $rport
            | let pid = current.pid, comm = current.comm, raddr = ip(daddr_v6), rport = dport
begun
| print time, pid, comm, raddr, rport if !$counts if !$counts
| connections = count by pid, comm, raddr, rport if $counts if $counts
