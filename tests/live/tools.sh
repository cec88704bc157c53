#!/bin/sh
# The shipped tools against what the system counts itself.
# test: serial
. tests/live/lib
needs_bpf live_hardirqs live_tcpretrans live_profile live_cpudist live_names

# Interrupts, by handler: between two looks at /proc/interrupts that lie within the run
# and two that lie around it.
interrupts() {
	awk 'NR > 1 && $1 ~ /^[0-9]+:$/ { n = 0; for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i
		print $NF, n }' /proc/interrupts | sort
}
load() {
	disk=$(awk '$1 ~ "^/dev/[vsn]" && $2 == "/" { print $1 }' /proc/mounts)
	[ -b "${disk:-/dev/vda}" ] && dd if="${disk:-/dev/vda}" of=/dev/null bs=4k count=2000 iflag=direct 2>/dev/null
}
for option in -C ''; do
	interrupts >"$TMP/a"
	trace_begin hardirqs $option
	interrupts >"$TMP/b"
	load
	interrupts >"$TMP/c"
	traced INT
	interrupts >"$TMP/d"
	tab=$(printf '\t')
	: >"$TMP/wrong"
	compared=0
	while read -r handler least most; do
		got=$(sum count "hardirq=$handler")
		[ "$most" -gt 0 ] && compared=$((compared + 1))
		[ "$got" -ge "$least" ] && [ "$got" -le "$most" ] ||
			echo "$handler: $got, not $least to $most" >>"$TMP/wrong"
	done <<EOT
$(paste -d ' ' "$TMP/a" "$TMP/b" "$TMP/c" "$TMP/d" | awk '{ print $1, $6 - $4, $8 - $2 }' |
	awk '{ a[$1] += $2; b[$1] += $3 } END { for (h in a) print h, a[h], b[h] }')
EOT
	if [ "$compared" = 0 ]; then
		echo "skip live_hardirqs$option: no interrupt came"
	else
		is "live_hardirqs$option" "$status $(cat "$TMP/wrong")" "0 "
	fi
done
between live_hardirqs_times "$(sum total)" 1000 180000000000

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

# One thread burns CPU 0: its samples are its time, as the kernel accounts it in ticks of
# 10 ms, and all samples of a busy CPU are so many a second.
taskset -c 0 "$W" spin 30000 >/dev/null &
burner=$!
used() { awk '{ print $14 + $15 }' /proc/$burner/stat; }
sleep 0.2
ticks=$(used)
trace profile -P -F 99 -C -d 2 --top 1000
ticks=$(($(used) - ticks))
# An emulated machine has no time of its own to compare with.
[ "$SCALE" != 1 ] || between live_profile_time "$(sum samples cpu=0 comm=work)" $((ticks * 75 / 100)) $((ticks * 125 / 100 + 5))
[ "$SCALE" != 1 ] || between live_profile_rate "$(sum samples cpu=0)" 178 200
is live_profile_share "$(calculate "100 * ($(cells share | paste -s -d + -))")" 100
ticks=$(used)
trace profile -P -F 99 -U -d 1 -p $burner
ticks=$(($(used) - ticks))
[ "$SCALE" != 1 ] || between live_profile_user "$(sum samples)" $((ticks * 70 / 100)) $((ticks * 125 / 100 + 5))
trace profile -P -F 99 -K -d 1 -p $burner
[ "$SCALE" != 1 ] || between live_profile_kernel "$(sum samples)" 0 20
kill $burner
trace profile -P -I -d 1 --cpu 0 --top 1000
between live_profile_idle "$(sum samples)" 30 60

# Times on and off the CPU, of two that share one.
trace run 'from sched:sched_switch where next_pid != 0 on next_pid to sched:sched_switch on prev_pid
	| total = sum(duration), longest = max(duration) by comm = end.prev_comm' -- "$W" compete 1000 0
# Two times the wall time, less what they waited.
on=$(calculate "2 * 1000 * $(said compete 3) - $(said waited 2)")
between live_cpudist_on "$(sum total comm=work)" "$(calculate "$on * 0.93")" "$(calculate "$on * 1.07")"
for option in '' -O -P -L '-O -P' '-O -L'; do
	trace cpudist $option --format json -- "$W" compete 200 0
	between "live_cpudist$(echo "$option" | tr -d ' ')" "$(in_buckets)" 5 2000
done
# While one of the two runs, the other waits.
trace runqlen -O -C -- "$W" compete 1000 0
between live_runqlen_occupancy "$(cells occupancy cpu=0)" 0.7 1
for tool in 'cpudist -P' 'cpudist -L' 'runqlat -P' 'runqlat -L'; do
	trace $tool -d 1 -- "$W" compete 200 0
	case $tool in *P) column=comm ;; *) column=thread ;; esac
	between "live_names_$(echo "$tool" | tr ' ' _)" "$(rows $column=work)" 1 3
done
