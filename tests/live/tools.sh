#!/bin/sh
# Shipped tools over what a program does, as it counts itself.
. tests/live/lib
needs_bpf live_tcpretrans live_profile live_cpudist live_names

# A connection whose other end drops all: what it sent again, as it counts itself.
if [ -e /sys/kernel/tracing/events/tcp/tcp_retransmit_skb ] || [ -e /sys/kernel/btf/vmlinux ]; then
	trace_begin tcpretrans
	"$W" resend 4 >"$TMP/resend"
	traced INT
	set -- $(sed -n 's/^ports //p' "$TMP/resend")
	resent=$(sed -n 's/^resent //p' "$TMP/resend")
	is live_tcpretrans "$(rows "lport=$1" "rport=$2")" "$resent"
	is live_tcpretrans_addresses "$(cells laddr "lport=$1" "rport=$2" | sort -u) $(cells raddr "lport=$1" "rport=$2" | sort -u)" \
		"127.0.0.1 127.0.0.1"
	is live_tcpretrans_state "$(cells state "lport=$1" "rport=$2" | sort -u)" ESTABLISHED
	trace_begin tcpretrans -c
	"$W" resend 4 >"$TMP/resend"
	traced INT
	set -- $(sed -n 's/^ports //p' "$TMP/resend")
	resent=$(sed -n 's/^resent //p' "$TMP/resend")
	is live_tcpretrans_count "$(sum retransmits "lport=$1" "rport=$2")" "$resent"
fi

# Samples of one process, and what they are a share of.
"$W" spin 600000 >/dev/null &
burner=$!
for mode in '' -U; do
	trace profile -P -F 99 $mode -d 1 -p $burner
	between "live_profile$mode" "$(sum samples pid=$burner)" 1 100
	is "live_profile_share$mode" "$(calculate "100 * ($(cells share | paste -s -d + -))")" 100
done
kill $burner

# Times on and off the CPU, of two that share one.
for option in '' -O -P -L '-O -P' '-O -L'; do
	trace cpudist $option --format json -- "$W" compete 200 0
	between "live_cpudist$(echo "$option" | tr -d ' ')" "$(in_buckets)" 1 2000
done
for tool in 'cpudist -P' 'cpudist -L' 'runqlat -P' 'runqlat -L'; do
	trace $tool -d 1 -- "$W" compete 200 0
	case $tool in *P) column=comm ;; *) column=thread ;; esac
	between "live_names_$(echo "$tool" | tr ' ' _)" "$(rows $column=work)" 1 3
done
