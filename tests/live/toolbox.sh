#!/bin/sh
# The tools that show what a system does one by one, all of them at once over a program
# that does a known number of each (tests/work/chores.c).
. tests/live/lib
needs_bpf live_toolbox
N=20
# Names of its own: another run beside it does the same.
me=ch$$ blockdd=bd$$ sharers_name=sh$$ rport=$((20000 + $$ % 20000))
C=$TMP/$me
cp "${W%work}chores" "$C"

begin() { # NAME TOOL [OPTION ...]: NAME.csv, NAME.err
	name=$1 tool=$2
	shift 2
	: >"$TMP/$name.err"
	"$CULPRIT" "$tool" -v "$@" -o "$TMP/$name.csv" >/dev/null 2>"$TMP/$name.err" </dev/null &
	pids="$pids $!"
	begun="$begun $!:$name"
}
of() { # NAME: what sum, rows and cells are about
	OUT=$TMP/$1.csv ERR=$TMP/$1.err last=$1
}

# What the system counts itself, a name and a number a line; and another tracer's count.
counters() {
	awk 'NR > 1 { n = 0; for (i = 2; i <= NF; i++) n += $i; printf "%s %.0f\n", tolower(substr($1, 1, length($1) - 1)), n }' \
		/proc/softirqs
	awk '$1 == "processes"' /proc/stat
	for event in $traced; do
		cat "$ftrace/instances/${event#*:}.$RUN.$$"/per_cpu/*/stats |
			awk -v name="$event" '/^(entries|overrun):/ { n += $2 } END { printf "%s %.0f\n", name, n }'
	done
}
# ftrace counts an event, in buffers of its own.
ftrace=/sys/kernel/tracing
traced=
for event in workqueue:workqueue_execute_start timer:hrtimer_expire_entry; do
	instance=$ftrace/instances/${event#*:}.$RUN.$$
	mkdir "$instance" 2>/dev/null && echo "$event" >"$instance/set_event" && traced="$traced $event"
done
# A disk of its own.
disk=
truncate -s 4M "$TMP/image" && disk=$(losetup -f --show "$TMP/image" 2>/dev/null)
disk=${disk#/dev/}
trap 'for event in $traced; do rmdir "$ftrace/instances/${event#*:}.$RUN.$$"; done
	[ -z "$disk" ] || losetup -d "/dev/$disk"' EXIT
# NAME GOT COUNTER: between what was counted from one to the other look inside of the run and around
# it; a fiftieth and 5 less, as there are kernels that tell no event in threads of process 1.
counts() {
	case $3 in
	*:*) case $traced in *"$3"*) ;; *) echo "skip $1: no $ftrace to count with"; return ;; esac ;;
	esac
	set -- "$1" "$2" $(cat "$TMP/before" "$TMP/begun" "$TMP/done" "$TMP/after" |
		awk -v name="$3" '$1 == name { n[++i] = $2 } END { print n[3] - n[2], n[4] - n[1] }')
	between "$1" "$2" $(($3 - $3 / 50 - 5)) "$4"
}

pids= begun=
counters >"$TMP/before"
begin tcplife tcplife
begin tcpstates tcpstates
begin tcpconnect tcpconnect -c
begin tcpconnlat tcpconnlat
begin tcpaccept tcpaccept
begin tcptop tcptop -i 60 --rows 1000
begin solisten solisten
begin bindsnoop bindsnoop
begin netlatency netlatency --device own$$ --format json
begin exitsnoop exitsnoop -x --name $me
begin killsnoop killsnoop --comm $me
begin sigsnoop sigsnoop --name $me
begin sigcounts sigsnoop --counts --name $me
begin statsnoop statsnoop -x --comm $me
begin syncsnoop syncsnoop --comm $me
begin mountsnoop mountsnoop --comm $me
begin syscallstats syscallstats --comm $me --top 1000
begin pidpersec pidpersec -i 60
begin iousagetop iousagetop -i 60 --rows 10000
begin iousagetop_of iousagetop -i 60 -P --comm $me
begin cputop cputop -i 60 --rows 10000
begin softirqs softirqs -C
begin irqstats irqstats
begin biotop biotop -i 60 --rows 10000
begin bitesize bitesize --format json --comm $blockdd
begin biopattern biopattern
begin biolatpcts biolatpcts -i 60
begin migrations migrations --rows 100000
begin schedstats schedstats --rows 100000
begin runqslower runqslower 0 --comm $sharers_name
begin opensnoop opensnoop --comm $me
begin slabratetop slabratetop -i 60 --rows 10000
begin wqlat wqlat --format json
begin runqlen runqlen --format json
begin timerlat timerlat --format json
begin pktdrop pktdrop
begin tcpdrop tcpdrop
begin gethostlatency gethostlatency
begin gethost_libc gethostlatency --libc "$(ldd /usr/bin/getent | sed -n 's/.* => \(.*libc\.so[^ ]*\).*/\1/p')"
begin threadsnoop threadsnoop
begin bashreadline bashreadline
begin shmsnoop shmsnoop --comm $me
begin futexctn futexctn --comm $me --format json
begin naptime naptime --comm $me
begin tcptracer tcptracer
begin tcppktlat tcppktlat 0
begin funcinterval funcinterval "$C:shmdt" --format json
begin softirqslower softirqslower 1
begin netqtop netqtop -i 60 --device own$$
begin ioqueue ioqueue -i 60
begin cpuwalk cpuwalk --format json
begin cpufreq cpufreq
begin numasched numasched
begin tcpcong tcpcong --rport $rport
for one in $begun; do attached "${one%:*}" "$TMP/${one#*:}.err"; done
counters >"$TMP/begun"
# A connection in a network of its own whose device goes away for a while: timeouts.
cat >"$TMP/lossy" <<'END'
ip link set lo name "$2"
ip link set "$2" up
busybox nc -l -p $1 >/dev/null &
for i in $(seq 50); do
	exec 3<>/dev/tcp/127.0.0.1/$1 && break
	sleep 0.1
done 2>/dev/null
echo one >&3
ip link set "$2" down
echo two >&3
sleep 0.5
ip link set "$2" up
sleep 1
exec 3>&-
kill $!
awk '/^TcpExt/ && !n { n = split($0, name); next }
	/^TcpExt/ { for (i = 1; i <= n; i++) if (name[i] == "TCPTimeouts") print "timeouts", $i }' /proc/net/netstat
END
unshare -n bash "$TMP/lossy" $rport "lo$$" >"$TMP/timeouts" 2>/dev/null &
lossy=$!
# Packets in another, whose device counts them.
cat >"$TMP/packets" <<'END'
ip link set lo name "$1"
ip link set "$1" up
for i in $(seq 20); do echo "$i" >/dev/udp/127.0.0.1/9; done
sed -n "s/^ *$1: *[0-9]* *\([0-9]*\) .*/\1/p" /proc/net/dev
END
sent=$(unshare -n bash "$TMP/packets" own$$ 2>/dev/null)
cp "$(command -v dd)" "$TMP/$blockdd"
"$C" $N "$TMP/file" >"$TMP/did" &
chores=$!
wait $chores
# Two threads that share a CPU, in some hundred turns: the kernel does not tell of each switch.
cp "$W" "$TMP/$sharers_name"
"$TMP/$sharers_name" compete 400 >"$TMP/shared" &
sharers=$!
wait $sharers
[ -z "$disk" ] || "$TMP/$blockdd" if="/dev/$disk" of=/dev/null bs=16k count=100 iflag=direct 2>/dev/null
"$W" resend 4 >"$TMP/resend"
for i in $(seq $N); do timeout 5 bash -c ': >/dev/tcp/127.0.0.1/1' 2>/dev/null; done
# an address: not every machine has a name for itself
getent ahosts 127.0.0.1 >/dev/null &
getent=$!
wait $getent
cat >"$TMP/threads.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
static void *nothing(void *arg) { return arg; }
int main(int argc, char **argv)
{
	pthread_t id;
	for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
		if (pthread_create(&id, 0, nothing, 0) || pthread_join(id, 0))
			return 1;
	return 0;
}
END
gcc -pthread -o "$TMP/threads" "$TMP/threads.c"
"$TMP/threads" $N &
threads=$!
wait $threads
printf 'echo typed-%s\nexit\n' $$ | script -qc 'bash --norc -i' /dev/null >/dev/null 2>&1
wait $lossy
counters >"$TMP/done"
kill -INT $pids
status=0
for pid in $pids; do wait "$pid" || status=$?; done
counters >"$TMP/after"
is live_toolbox_ends "$status" 0
port=$(sed -n 's/^port //p' "$TMP/did")
read -r sleeper forced given <<END
$(sed -n 's/^slept //p' "$TMP/did")
END

of tcplife
is live_tcplife "$(sum tx lport="$port") $(sum rx lport="$port")" "$((5000 * N)) $((1000 * N))"
is live_tcplife_other_end "$(rows rport="$port" comm=$me) $(sum rx rport="$port")" "$N $((5000 * N))"
of tcpstates
is live_tcpstates "$(rows rport="$port" old=SYN_SENT new=ESTABLISHED) $(rows lport="$port" new=FIN_WAIT1)" "$N $N"
of tcpconnect
is live_tcpconnect "$(sum connections pid=$chores rport="$port")" $N
of tcpconnlat
is live_tcpconnlat "$(rows pid=$chores rport="$port" result=open)" $N
of tcpaccept
is live_tcpaccept "$(rows pid=$chores lport="$port" raddr=127.0.0.1)" $N
of tcptop
is live_tcptop "$(sum sent pid=$chores) $(sum received pid=$chores)" "$((6000 * N)) $((6000 * N))"
of solisten
is live_solisten "$(cells backlog pid=$chores port="$port" address=127.0.0.1)" 7
of bindsnoop
is live_bindsnoop "$(rows pid=$chores port="$port" protocol=6)" 1
of netlatency
is live_netlatency "$(in_buckets)" "$sent"
of exitsnoop
is live_exitsnoop "$(rows ppid=$chores code=3 signal=0) $(rows ppid=$chores code=0 signal=SIGKILL)" "$N $N"
of killsnoop
is live_killsnoop "$(rows pid=$chores signal=SIGKILL result=0) $(rows pid=$chores signal=SIGUSR1 tpid=$chores)" "$N $N"
of sigsnoop
is live_sigsnoop "$(rows pid=$chores signal=SIGKILL result=0) $(rows pid=$chores signal=SIGUSR1 result=1)" "$N $N"
of sigcounts
is live_sigsnoop_counts "$(rows pid=$chores signal=SIGUSR1 result=1 count=$N)" 1
of statsnoop
is live_statsnoop "$(rows pid=$chores err=ENOENT path=/nonexistent/chores)" $N
of syncsnoop
is live_syncsnoop "$(rows pid=$chores call=fsync)" $N
of mountsnoop
is live_mountsnoop "$(rows pid=$chores source=chores kind=tmpfs target="$TMP/file" result=0) $(rows pid=$chores target="$TMP/file")" \
	"$N $((2 * N))"
of syscallstats
is live_syscallstats "$(sum count pid=$chores call=fsync) $(sum errors pid=$chores call=newfstatat) $(sum count pid=$chores call=clone)" \
	"$N $N $((2 * N + 1))"
of pidpersec
counts live_pidpersec $(($(sum processes) + $(sum threads))) processes
of slabratetop
counts live_slabratetop "$(sum allocs cache=task_struct)" processes
of iousagetop
is live_iousagetop "$(sum written pid=$chores)" $((6000 * N + N + $(wc -c <"$TMP/did")))
of iousagetop_of
is live_iousagetop_of "$(sum written pid=$chores) $(grep -c interface "$OUT")" \
	"$((6000 * N + N + $(wc -c <"$TMP/did"))) 0"
of cputop
between live_cputop "$(sum oncpu pid=$sharers)" 1 "$(awk '$1 == "compete" { printf "%.0f", 2 * $2 * $3 * 1.1 }' "$TMP/shared")"

for name in timer net_rx rcu; do
	of softirqs
	counts live_softirqs_$name "$(sum count softirq=$name)" $name
	of irqstats
	counts live_irqstats_$name "$(sum count softirq=$name)" $name
done
if [ -n "$disk" ]; then
	of biotop
	is live_biotop "$(sum bytes comm=$blockdd kind=Read disk="$disk")" 1638400
	of bitesize
	is live_bitesize "$(in_buckets)" 100
	of biopattern
	is live_biopattern "$(sum count disk="$disk") $(sum following disk="$disk")" "100 99"
	of biolatpcts
	is live_biolatpcts "$(sum count disk="$disk" kind=Read)" 100
else
	echo "skip live_toolbox_disk: no disk to read from"
fi
of migrations
moved=$(sed -n 's/^migrations //p' "$TMP/did")
if [ -n "$moved" ]; then
	is live_migrations "$(sum migrations tid=$chores)" "$moved"
else
	echo "skip live_migrations: the kernel does not say in /proc/PID/sched how often a thread was moved"
fi
of schedstats
# its last switch, from which it does not come back, may be counted, or one that comes right before it not yet
between live_schedstats $(($(sum times pid=$sleeper state=sleeping) + $(sum times pid=$sleeper state=disk))) $((given - 1)) "$given"
between live_schedstats_forced $(($(sum times pid=$sleeper state=running) + $(sum times pid=$sleeper state=preempted))) \
	$((forced - 1)) $((forced + 1))
between live_schedstats_slept "$(sum total pid=$sleeper state=sleeping)" $((N * 2000000)) 600000000000
of runqslower
between live_runqslower "$(rows comm=$sharers_name)" 1 100000
of runqlen
between live_runqlen "$(in_buckets)" 50 10000000
of timerlat
counts live_timerlat "$(in_buckets)" timer:hrtimer_expire_entry
of wqlat
counts live_wqlat "$(in_buckets)" workqueue:workqueue_execute_start
of opensnoop
is live_opensnoop "$(grep -c "ENOENT,$TMP/file.open." "$OUT") $(rows pid=$chores err=0 path="$TMP/file")" "$N 2"
of pktdrop
between live_pktdrop "$(sum count reason=SKB_DROP_REASON_NO_SOCKET)" $N 1000000
of tcpdrop
set -- $(sed -n 's/^ports //p' "$TMP/resend")
resent=$(sed -n 's/^resent //p' "$TMP/resend")
is live_tcpdrop "$(rows sport="$1" dport="$2" flags=PSH reason=SKB_DROP_REASON_SOCKET_FILTER)" $((resent + 1))
of gethostlatency
is live_gethostlatency "$(rows pid=$getent host=127.0.0.1 result=0)" 1
of gethost_libc
is live_gethostlatency_libc "$(rows pid=$getent host=127.0.0.1 result=0)" 1
of threadsnoop
is live_threadsnoop "$(rows pid=$threads function=nothing+0)" $N
of shmsnoop
is live_shmsnoop "$(rows pid=$chores call=shmget size=12345 key=0) $(rows pid=$chores call=shmat) $(
	rows pid=$chores call=shmdt result=0) $(rows pid=$chores call=shmctl result=0 command=0)" "$N $N $N $N"
of futexctn
grep "\"lock\":\"$(sed -n 's/^lock //p' "$TMP/did")\"" "$OUT" >"$TMP/lock"
OUT=$TMP/lock
is live_futexctn "$(in_buckets)" $N
of naptime
is live_naptime "$(rows pid=$chores)" $N
of tcptracer
is live_tcptracer "$(rows pid=$chores type=C rport="$port") $(rows type=A lport="$port") $(
	rows type=X lport="$port")" "$N $N $N"
of tcppktlat
between live_tcppktlat "$(rows pid=$chores lport="$port")" $N $((N * 1000))
of funcinterval
is live_funcinterval "$(in_buckets)" $((N - 1))
of softirqslower
counts live_softirqslower "$(rows stage=ran softirq=timer)" timer
of netqtop
is live_netqtop "$(sum sent device=own$$)" "$sent"
of cpuwalk
between live_cpuwalk "$(in_buckets)" 50 10000000
if [ -n "$disk" ]; then
	of ioqueue
	is live_ioqueue "$(sum requests disk="$disk")" 100
	between live_ioqueue_open "$(cells open disk="$disk")" 0.0001 10000
fi
of cpufreq
is live_cpufreq "$(grep -vc '^culprit: tracing' "$ERR")" 0
of numasched
is live_numasched "$(rows) $(grep -vc '^culprit: tracing' "$ERR")" "0 0"
of tcpcong
timeouts=$(sed -n 's/^timeouts //p' "$TMP/timeouts")
if [ "${timeouts:-0}" -gt 0 ]; then
	between live_tcpcong "$(sum count state=loss)" 1 "$timeouts"
else
	echo "skip live_tcpcong: no connection that loses packets can be made here"
fi
of bashreadline
is live_bashreadline "$(rows line="echo typed-$$")" 1

"$CULPRIT" llcstat -d 0.1 >"$DID" 2>"$ERR"
case $? in
0) is live_llcstat "$(sed -n '1s/  .*//p' "$DID")" PID ;;
3) is live_llcstat "$(grep -c 'has no such counter' "$ERR")" 1 ;;
*) bad live_llcstat ;;
esac
# A process that changes its name is one row: a key is there once.
while read -r key tool; do
	trace $tool -- sh -c 'cat /dev/null; echo pid $$; sleep 0.02; exec sleep 0.05'
	burnt=$(sed -n 's/^pid //p' "$DID")
	is "live_name_${tool%% *}" "$(cells "$key" pid="$burnt" | sort | uniq -d) $(cells comm pid="$burnt" | grep -c sleep | head -c 1 | tr 1-9 1)" " 1"
done <<'END'
call syscallstats --top 1000
state schedstats --rows 1000
pid syscount -P --top 1000
pid iousagetop -P -i 60
END
# Also where it is shown beside a histogram, or was moved.
while read -r tool; do
	trace $tool -- sh -c 'cat /dev/null; echo pid $$; sleep 0.02; exec sleep 0.05'
	burnt=$(sed -n 's/^pid //p' "$DID")
	is "live_name_${tool%% *}" "$(cells comm pid="$burnt" | sort -u)" sleep
done <<'END'
cpudist -P
runqlat -P
END
trace migrations --top 10000 -- sh -c 'echo pid $$; taskset -cp 0 $$; taskset -cp 1 $$; exec taskset -c 0 cat /dev/null'
burnt=$(sed -n 's/^pid \([0-9]*\)$/\1/p' "$DID")
if [ "$(nproc)" -gt 1 ]; then
	is live_name_migrations "$(cells comm tid="$burnt")" taskset
else
	echo "skip live_name_migrations: one CPU"
fi
trace profile -P -F 999 -- sh -c 'echo pid $$; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exec "$0" spin 100' "$W"
burnt=$(sed -n 's/^pid //p' "$DID")
is live_name_profile "$(cells comm pid="$burnt")" work
