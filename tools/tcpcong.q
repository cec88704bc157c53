# TCP: congestion states of connections
#
# Question: is the network slow, or does it lose packets?
#
# How long connections were in each state: open (normal), disorder (packets out of order), cwr
# (told to slow down), recovery (lost packets are sent again), loss (time-out, no answer).
#
#     $ culprit tcpcong -d 10
#     $ culprit tcpcong --rport 443
#
# Columns: LADDR, LPORT, RADDR, RPORT, STATE, COUNT (how often it left the state), TOTAL and MAX (time).
#
# Example:
#
#     $ culprit tcpcong -- trouble lossy 400
#     LADDR      LPORT  RADDR      RPORT  STATE     COUNT    TOTAL(us)      MAX(us)
#     127.0.0.1  37280  127.0.0.1   8080  open         20  1757112.316   564422.018
#     127.0.0.1  37280  127.0.0.1   8080  recovery     20   451772.446   235258.311
#     127.0.0.1  37280  127.0.0.1   8080  loss          1     1140.125     1140.125
#
# 20 times lost packets were sent again (recovery), a fifth of the time; once no answer came (loss).
param lport: int "only this local port"
param rport: int "only this remote port"
param top:  int = 50 "show at most N rows"

from tcp:tcp_cong_state_set on skaddr to (tcp:tcp_cong_state_set, tcp:tcp_destroy_sock) on skaddr
| where begin.sport == $lport
| where begin.dport == $rport
| count, total = sum(duration), max = max(duration)
  by laddr = ip(begin.saddr_v6), lport = begin.sport, raddr = ip(begin.daddr_v6), rport = begin.dport,
     state = begin.cong_state == 0 ? "open" : begin.cong_state == 1 ? "disorder" : begin.cong_state == 2 ? "cwr"
             : begin.cong_state == 3 ? "recovery" : "loss"
| top $top by total
