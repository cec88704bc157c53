#!/bin/sh
# Shipped tools over what a program does, as it counts itself.
. tests/live/lib
needs_bpf live_tcpretrans live_profile live_cpudist live_names \
	live_funccount live_funccount_events live_funccount_mistake live_funcslower live_trace live_trace_stacks live_trace_format

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
	begun=$(awk '{ print $1 }' /proc/uptime)
	trace profile -P -F 99 $mode -d 1 -p $burner
	# a slow machine is late to end it: at most 99 for each second that the whole took
	between "live_profile$mode" "$(sum samples pid=$burner)" 1 \
		"$(calculate "99 * ($(awk '{ print $1 }' /proc/uptime) - $begun) + 1")"
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

# Functions, system calls and events by one tool; several sources as words.
calls=${CALLS:-$B/tests/work/calls}
trace funccount "syscall:nanosleep, $calls:timed" -- "$calls" timed 5 1000000
is live_funccount "$(rows function=timed count=5)" 1
trace funccount 'sched:sched_process_*' -- sh -c '"$0" sleep 1 1000; "$0" sleep 1 1000; :' "$W"
is live_funccount_events "$(cells count function=sched_process_exec) $(cells count function=sched_process_fork)" "3 2"
"$CULPRIT" funccount t:sched:sched_switch -d 0.1 >"$TMP/text" 2>&1
is live_funccount_mistake "$? $(tail -n 1 "$TMP/text")" "2 help: write sched:sched_switch"
trace funcslower -m 0 "$calls:doze" syscall:clock_nanosleep -r -a flags -- "$calls" nested 3 1000000
is live_funcslower "$(rows function=doze flags=) $(rows function=clock_nanosleep ret=0 flags=0)" "6 6"
# A program without frame pointers: the stacks of its first ms may be short, its last is whole.
trace trace "($calls:doze().enter | where tid > 0)" syscall:clock_nanosleep -s flags -K -U -- "$calls" nested 40 1000000
is live_trace "$(rows function=doze flags=) $(rows function=clock_nanosleep flags=0)" "80 80"
is live_trace_stacks "$(cells ustack function=doze | sed -n '$s/.*;\(request;\)/\1/p')" "request;serve;fetch;doze"
"$CULPRIT" trace "$calls:doze().enter" -U -s '"in %d", arg0' -- "$calls" nested 40 1000000 2>"$ERR" | grep -v '^nested' |
	tail -n 10 >"$TMP/text"
is live_trace_format "$(sed -n '1s/.* doze  */doze /p; s/^    \([a-z]*\) .*/\1/p' "$TMP/text" | head -n 5 | paste -s -d ' ')" \
	"doze in 5000 doze fetch serve request"
