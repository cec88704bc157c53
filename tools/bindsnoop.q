# sockets as they are bound to an address
#
# Question: who uses the network?
#
# One line for each bind(2) of an internet socket. What io_uring binds makes no such call: it is not shown.
#
#     $ culprit bindsnoop
#     $ culprit bindsnoop -x
#
# Columns: TIME, PID, COMM, RESULT (0 or the error), PROTOCOL (6: TCP, 17: UDP), PORT and ADDRESS
# of the socket after the call, REUSE (options: 1 REUSEADDR, 2 REUSEPORT, 3 both).
#
# Example:
#
#     $ culprit bindsnoop -- timeout 1 nc -l -p 8080
#     TIME         PID     COMM             RESULT       PROTOCOL     PORT ADDRESS             REUSE
#     19:36:45.903 194     nc               0                   6     8080 ::                      1
#
# nc binds TCP port 8080 of all addresses (::). RESULT EADDRINUSE means that the port is already taken.
param failed x: flag "only failed calls"
param port:     int  "only this port"

syscall:bind
| where ret < 0 if $failed
| let sk = (file(fd).private_data as struct socket).sk
| where sk.__sk_common.skc_family in (2, 10)
| where sk.__sk_common.skc_num == $port
| print time, pid, comm, result = errno(ret), protocol = sk.sk_protocol, port = sk.__sk_common.skc_num,
        address = sk.__sk_common.skc_family == 10 ? ip(sk.__sk_common.skc_v6_rcv_saddr)
        : ip(sk.__sk_common.skc_rcv_saddr),
        reuse = sk.__sk_common.skc_reuse + 2 * sk.__sk_common.skc_reuseport
