# TCP connections: round-trip times
#
# Question: is the network slow, or does it lose packets?
#
# A histogram of the smoothed round-trip times of connections, with a value at each measurement.
#
#     $ culprit tcprtt -d 10
#     $ culprit tcprtt -A --rport 443
#
# Columns: with -A RADDR (remote address); the histogram.
#
# Example:
#
#     $ culprit tcprtt -- wget -q -O /dev/null http://127.0.0.1/big
#          usecs               : count     distribution
#           4194 -> 8389       : 37       |****************************************|
#           8389 -> 16777      : 2        |**                                      |
#
# 4 to 8 ms within one machine, without a network: the receiver (or its CPU) answers late.
param remote A: flag "a histogram for each remote address"
param rport:    int  "only this remote port"

def measured = (tcp_rcv_established().enter | let tp = sk as struct tcp_sock,
                  raddr = ip(sk.__sk_common.skc_v6_daddr), dport = port(sk.__sk_common.skc_dport),
                  rtt = tp.srtt_us * 125ns)
               else (tcp:tcp_probe | let raddr = ip((skaddr as struct sock).__sk_common.skc_v6_daddr), rtt = srtt * 1us)
measured
| where dport == $rport
| hist(rtt) by raddr if $remote
