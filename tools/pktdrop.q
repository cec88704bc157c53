# packets that the kernel dropped, and why
#
# Question: is the network slow, or does it lose packets?
#
# Counts the packets that the kernel dropped, by reason and place.
#
#     $ culprit pktdrop -d 10
#
# Columns: REASON, LOCATION (the function that dropped it), COUNT.
#
# Example:
#
#     $ culprit pktdrop -- wget -q -O - http://127.0.0.1:81/
#     REASON                     LOCATION         COUNT
#     SKB_DROP_REASON_NO_SOCKET  tcp_v4_rcv+0x9e      1
#
# The packet came to a port on which no program listens.
skb:kfree_skb
| count by reason, location
| sort -count
