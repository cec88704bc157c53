#!/bin/sh
# The rule of the two executors: one live run of a tool also prints the events it is about, row
# by row; the rows are written as a trace with LTTng's names (rows_as_trace.py); the
# same tool over that trace prints the same, byte for byte: keys, counts, durations, times.
#
# Not here: tools with stacks (offcputime, wakeuptime, ...), which have the kernel's names live and
# a trace's addresses, those whose events this machine may not make (cpufreq), ioqueue, whose
# rates are over the time that the run took, and slow, whose parts tests/exec has. Left out are
# columns that no trace has: a command line's words, how and at what age a process exits. Disk
# requests are of a loop device, read directly: LTTng has fewer of their flags. Writes past the
# page cache make a disk interrupt.
# test: early
. tests/live/lib
names="cpudist cpudist_off cputop schedstats runqlat runqslower migrations pidpersec hardirqs
	hardirqs_dist irqstats softirqs softirqs_raise sigsnoop syscount syscallstats opensnoop
	naptime killsnoop futexctn statsnoop biolatency biosnoop biotop
	biopattern bitesize biolatpcts iousagetop netlatency shmsnoop softirqslower syncsnoop
	execsnoop exitsnoop argdist funccount funcslower trace"
needs_bpf $(for n in $names; do echo live_replayed_$n; done)
command -v python3 >/dev/null || { echo "skip live_replayed: no python3 (package python3)"; exit 0; }
as_trace="python3 tests/live/rows_as_trace.py"

work() {
	for i in 1 2 3 4 5; do
		/bin/true
		ls / /nowhere
		sleep 0.01
	done
	sh -c 'kill -USR1 $$; sleep 1' &
	python3 -c '
import signal, threading, time
lock = threading.Lock()
def wait():
    for i in range(20):
        with lock:
            time.sleep(0.001)
threads = [threading.Thread(target=wait) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()'
	dd if="${disk:-/dev/zero}" of=/dev/null bs=64k count=32 iflag=direct
	dd if=/dev/zero of="$file" bs=4k count=5 oflag=direct
	kill $!
	sync
	python3 -c '
import ctypes, os, socket
c = ctypes.CDLL(None)
c.shmat.restype = ctypes.c_void_p
id = c.shmget(0, 4096, 0o1600)
at = c.shmat(id, None, 0)
c.shmdt(ctypes.c_void_p(at))
c.shmctl(id, 0, None)
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(("127.0.0.1", 0))
for i in range(20):
    a.sendto(b"x" * 100, a.getsockname())
    a.recv(1000)
os.fsync(os.open(os.environ["file"], os.O_RDWR))'
} >/dev/null 2>&1

# The lines of the tool's own queries, of which there are $1 less than all. Not those of threads of
# process 1: there are kernels that tell no event in them, so that a trace takes for running what
# sleeps.
first=$(cat /proc/1/task/*/comm | sort -u | tr '\n' '|')
own_lines() { # QUERIES FILE
	awk -v own="$1" -v first="\"comm\":\"(${first%|})\"" '/^\{"losses"/ || $0 ~ first { next }
		match($0, /"query":[0-9]+,/) {
			if (substr($0, RSTART + 8, RLENGTH - 9) + 0 >= own)
				next
			if (own == 1)
				$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
		}
		{ print }' "$2"
}

without=			# sed: what is left out of the next tools
run_both() { # TOOL "OPTIONS" SOURCE ...
	tool=$1 options=$2
	shift 2
	text=$(sed "/^#/d; s/^| every [0-9]*s\(;*\)\$/\1/; $without" "tools/$tool.q")
	text=${text%;}
	n=$(echo "$text" | grep -c ';$')
	rm -rf "$TMP/rows.json" "$TMP/trace" "$TMP/again.json"
	case $* in
	*syscall:*)
		"$CULPRIT" run "$text; $($as_trace --queries "$@")" $options --format json \
			-o "$TMP/rows.json" -- "$TMP/work" >"$TMP/err" 2>&1 ;;
	*)
		: >"$TMP/err"
		"$CULPRIT" run -v "$text; $($as_trace --queries "$@")" $options --self --format json \
			-o "$TMP/rows.json" >"$TMP/err" 2>&1 &
		tracer=$!
		attached $tracer "$TMP/err"
		work
		traced INT ;;
	esac
	$as_trace "$TMP/rows.json" "$TMP/trace" "$@" 2>>"$TMP/err" || return
	"$CULPRIT" run "$text" $options --trace "$TMP/trace" --format json -o "$TMP/again.json" \
		2>>"$TMP/err"
	own_lines $((n + 1)) "$TMP/rows.json" >"$TMP/live"
	own_lines $((n + 1)) "$TMP/again.json" >"$TMP/offline"
	[ "$(wc -l <"$TMP/live")" -gt $((n + 1)) ] && diff "$TMP/live" "$TMP/offline" >"$TMP/differ"
}

# `make test`: of tools that ask of the same events in the same way, one.
quick="cpudist cputop runqlat migrations pidpersec irqstats softirqs softirqslower netlatency execsnoop exitsnoop
	sigsnoop syscount opensnoop futexctn shmsnoop iousagetop funcslower biolatency biosnoop"

# Three attempts: the programs of a run are attached one after the other, and what happens in these
# milliseconds the rows have and the tool has not, or the other way round.
same() { # NAME TOOL "OPTIONS" SOURCE ...
	name=live_replayed_$1
	[ -n "${ALL-}" ] || case " $(echo $quick) " in *" $1 "*) ;; *) return 0 ;; esac
	shift
	for attempt in 1 2 3; do
		: >"$TMP/differ"
		if run_both "$@"; then
			echo "ok $name"
			return
		fi
	done
	if grep -q '"lost":[1-9]' "$TMP/rows.json"; then
		echo "skip $name: this machine made events faster than they could be written"
		return
	fi
	head -n 20 "$TMP/differ"
	cat "$TMP/err"
	echo "not ok $name"
}

find_disk
disk= file=${on_disk:-$TMP}/written
trap 'rm -rf "$on_disk"; [ -z "$disk" ] || losetup -d "$disk"' EXIT
if command -v losetup >/dev/null && truncate -s 16M "$TMP/image"; then
	disk=$(losetup -f --show "$TMP/image" 2>/dev/null)
fi
{
	echo '#!/bin/bash'
	echo "disk=$disk; export file=$file"
	sed -n '/^work() {/,/^}/p' "$0"
	echo work
} >"$TMP/work"
chmod +x "$TMP/work"

switch=sched:sched_switch
same cpudist cpudist --processes $switch
same cpudist_off cpudist "--offcpu --threads" $switch
# Live what runs at the start is counted from its next run on.
without='s/, cpu@start.*)/)/; s/, rate,/,/; /^| let percent/d; s/ percent,//'
same cputop cputop "" $switch
without=
same schedstats schedstats "" $switch
same runqlat runqlat --processes $switch sched:sched_wakeup sched:sched_wakeup_new
same runqslower runqslower "--min 0us" $switch sched:sched_wakeup sched:sched_wakeup_new
same migrations migrations "" sched:sched_migrate_task
same pidpersec pidpersec "" sched:sched_process_fork
if [ -n "$on_disk" ]; then
	same hardirqs hardirqs "" irq:irq_handler_entry irq:irq_handler_exit
	same hardirqs_dist hardirqs --dist irq:irq_handler_entry irq:irq_handler_exit
	same irqstats irqstats "" irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry \
		irq:softirq_exit
else
	for n in hardirqs hardirqs_dist irqstats; do
		echo "skip live_replayed_$n: the files are on no disk"
	done
fi
same softirqs softirqs --dist irq:softirq_entry irq:softirq_exit
same softirqs_raise softirqs --raise irq:softirq_raise irq:softirq_entry
same softirqslower softirqslower "--min 0us" irq:softirq_raise irq:softirq_entry irq:softirq_exit
same netlatency netlatency "" net:net_dev_queue net:net_dev_xmit
without='s/, args if .*$//'
same execsnoop execsnoop "" sched:sched_process_exec
without='/^ *age = /d; /^ *signal = /d; s/tid = p.pid,$/tid = p.pid/'
same exitsnoop exitsnoop "" sched:sched_process_exit
without='/^signal:signal_generate if \$counts/,$d'
same sigsnoop sigsnoop "" signal:signal_generate
without=
ends="syscall:*.enter syscall:*.return"
set -f
same syscount syscount --latency $ends
same syscallstats syscallstats "--threads --top 1000" $ends
same opensnoop opensnoop "" syscall:openat $ends
same naptime naptime "" $ends
same killsnoop killsnoop "" syscall:kill $ends
same futexctn futexctn "" syscall:futex $ends
same statsnoop statsnoop --call syscall:newfstatat syscall:statx syscall:statfs $ends
same syncsnoop syncsnoop "" $ends
same shmsnoop shmsnoop "" syscall:shmget syscall:shmat syscall:shmdt syscall:shmctl $ends
without='/^(net:/,$d'
same iousagetop iousagetop "--processes --rows 1000" $(for call in read pread64 readv recvfrom \
	recvmsg write pwrite64 writev sendto sendmsg; do echo syscall:$call; done) \
	block:block_rq_issue $ends
without=
same argdist argdist "--what syscall:* --filter duration<100ms" $ends
same funccount funccount "--function syscall:*" $ends
same funcslower funcslower "--functions syscall:* --min 0us" $ends
same trace trace "--what syscall:nanosleep,syscall:getppid" $ends
set +f
if [ -z "$disk" ]; then
	for n in biolatency biosnoop biotop biopattern bitesize biolatpcts; do
		echo "skip live_replayed_$n: no loop device"
	done
	exit 0
fi
requests="block:block_rq_issue block:block_rq_complete"
for n in biolatency biosnoop biotop biopattern bitesize biolatpcts; do
	same $n $n "--disk ${disk#/dev/}" $requests
done
