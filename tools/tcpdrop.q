# TCP packets that the kernel dropped, and why
#
# Question: is the network slow, or does it lose packets?
#
# One line for each TCP packet that the kernel dropped, sent or received. A FIN that a queue still held
# when its connection had ended (QUEUE_PURGE) is no loss: a healthy server has one for each connection. They
# are left out, and counted in a table at the end, unless -a asks for them.
#
#     $ culprit tcpdrop
#     $ culprit tcpdrop -s --port 443
#     $ culprit tcpdrop --reason '*NO_SOCKET'
#
# Columns: TIME, SADDR, SPORT, DADDR, DPORT (as in the packet), FLAGS (the first of SYN, RST, FIN and
# PSH, else ACK), STATE (of its connection; -: unknown), REASON, LOCATION (the function that dropped
# it); with -s the STACK.
#
# Example:
#
#     $ culprit tcpdrop -- wget -q -O - http://127.0.0.1:81/
#     TIME         SADDR               SPORT DADDR               DPORT FLAGS            STATE        REASON       LOCATION
#     19:58:08.461 127.0.0.1           54688 127.0.0.1              81 SYN              -            SKB_DROP_REASON_NO_SOCKET tcp_v4_rcv+0x9e
#
# wget asks for a connection (SYN) to port 81, where no program listens.
param stacks s: flag "show the kernel's stack, too"
param port:     int  "only packets to or from this port"
param reason:   glob "only packets dropped for this reason"
param all a:    flag "also FINs that a queue held at the end of their connection"

def dropped = skb:kfree_skb
	| where protocol in (0x800, 0x86dd) && reason > SKB_DROP_REASON_NOT_SPECIFIED
	| let ip4 = (skb.head + skb.network_header) as struct iphdr,
	      ip6 = (skb.head + skb.network_header) as struct ipv6hdr, sk = coalesce(rx_sk, skb.sk) as struct sock
	| where protocol == 0x800 ? ip4.protocol == 6 : ip6.nexthdr == 6
	| let tcp = (skb.head + skb.network_header + (protocol == 0x800 ? ip4.ihl * 4 : 40)) as struct tcphdr
	| where port(tcp.source) == $port || port(tcp.dest) == $port
	| where reason ~ $reason
dropped
| where !(reason ~ "*QUEUE_PURGE" && tcp.fin) if !$all
| print time, saddr = protocol == 0x800 ? ip(ip4.saddr) : ip(ip6.saddr), sport = port(tcp.source),
        daddr = protocol == 0x800 ? ip(ip4.daddr) : ip(ip6.daddr), dport = port(tcp.dest),
        flags = tcp.syn ? "SYN" : tcp.rst ? "RST" : tcp.fin ? "FIN" : tcp.psh ? "PSH" : "ACK",
        state = tcpstate(sk ? sk.__sk_common.skc_state : 0), reason, location, stack = current.kstack if $stacks;

dropped
| where reason ~ "*QUEUE_PURGE" && tcp.fin && !$all
| left_out = count by reason
