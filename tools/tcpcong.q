# TCP: the states of congestion that connections are in
#
# Question: is the network slow, or does it lose packets?
#
# How long connections were in each state: open (well), disorder (packets out of order), cwr
# (told to slow down), recovery (lost packets are sent again), loss (nothing came back).
#
#     $ culprit tcpcong -d 10
#     $ culprit tcpcong --rport 443
#
# Columns: LADDR, LPORT, RADDR, RPORT of the connection, STATE; COUNT how often it left it, TOTAL, MAX.
#
# Example:
#
#     $ culprit tcpcong -- trouble lossy 400
#     LADDR      LPORT  RADDR      RPORT  STATE     COUNT    TOTAL(us)      MAX(us)
#     127.0.0.1  37280  127.0.0.1   8080  open         20  1757112.316   564422.018
#     127.0.0.1  37280  127.0.0.1   8080  recovery     20   451772.446   235258.311
#     127.0.0.1  37280  127.0.0.1   8080  loss          1     1140.125     1140.125
#
# 20 times packets were lost and sent again (recovery), a fifth of the time; once nothing came back (loss).
param lport: int "this local port only"
param rport: int "this remote port only"
param rows: int = 50 "so many rows"

from tcp:tcp_cong_state_set on skaddr to (tcp:tcp_cong_state_set, tcp:tcp_destroy_sock) on skaddr
| where begin.sport == $lport
| where begin.dport == $rport
| count, total = sum(duration), max = max(duration)
  by laddr = ip(begin.saddr_v6), lport = begin.sport, raddr = ip(begin.daddr_v6), rport = begin.dport,
     state = begin.cong_state == 0 ? "open" : begin.cong_state == 1 ? "disorder" : begin.cong_state == 2 ? "cwr"
             : begin.cong_state == 3 ? "recovery" : "loss"
| top $rows by total
