# sockets that begin to listen
#
# Question: who uses the network?
#
# One line for each listen(2) on an internet socket. What io_uring makes listen is no such call: it is not shown.
#
#     $ culprit solisten
#
# Columns: TIME, PID, COMM, PORT, BACKLOG (how many connections may wait), ADDRESS, RESULT.
#
# Example:
#
#     $ culprit solisten -- timeout 1 nc -l -p 8081
#     TIME         PID     COMM                 PORT  BACKLOG ADDRESS          RESULT
#     19:36:46.019 193     nc                   8081        1 ::               0
#
# One connection may wait until nc accepts it (BACKLOG). This is too few for a server; see tcpsynbl.
syscall:listen.return
| let sk = (file(fd).private_data as struct socket).sk
| where sk.__sk_common.skc_family in (2, 10)
| print time, pid, comm, port = sk.__sk_common.skc_num, backlog,
        address = sk.__sk_common.skc_family == 10 ? ip(sk.__sk_common.skc_v6_rcv_saddr)
        : ip(sk.__sk_common.skc_rcv_saddr), result = errno(ret)
