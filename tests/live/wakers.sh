#!/bin/sh
# Who wakes whom: the writer of a pipe, the unlocker of a mutex, the timer and the disk's
# interrupt, and chains of them, through processes that wake each other in a known order.
. tests/live/lib
needs_bpf live_chaingraph live_chaingraph_count live_chaingraph_hop3 live_chaingraph_stack \
	live_wakers_loopback live_wakers_loopback_one live_wakers_none live_wakers_preempted live_waker_of_another live_wakers_mutex live_wakers_timer live_wakers_timer_names live_wakers_disk live_wakers_disk_both \
	live_wakers_irq_names live_wakers_softirqs_left live_wakers_softirqs_left_chain live_wakers_handlers live_wakers_handlers_to_the_end
K=$B/tests/work/wake

# Five processes over a pipe, a futex, a socket and a pipe; the first is woken by its timer.
trace chaingraph -W --top 1000 -- "$K" relay 100
chain=$(grep ',hop5,' "$OUT" | sort -t, -k5 -n | tail -n 1)
is live_chaingraph "$(echo "$chain" | grep -c ',\[timer hrtimer_wakeup\];hop1;hop2;hop3;hop4,')" 1
between live_chaingraph_count "$(echo "$chain" | cut -d, -f5)" 1 100
is live_chaingraph_hop3 "$(grep ',hop3,' "$OUT" | grep -c ',\[timer hrtimer_wakeup\];hop1;hop2,')" 1
is live_chaingraph_stack "$("$CULPRIT" chaingraph -K --format folded --top 1000 -- "$K" relay 20 2>/dev/null |
	grep -cE '^[0-9]*;hop5;.*pipe_read.*;--;hop4;hop3;hop2;hop1;\[timer hrtimer_wakeup\] [0-9]*$')" 1

cpus=$(sed 's/.*[-,]//' /sys/devices/system/cpu/possible)
is live_wakers_rows "$("$CULPRIT" explain chaingraph -db 2>/dev/null |
	sed -n 's/^map wakers: .*entries \([0-9]*\):.*/\1/p')" $((4096 + 256 * (cpus + 1)))

# The loopback's softirq runs inside the sender's send: the sender wakes.
trace chaingraph -W --top 1000 -- "$K" udp 50
between live_wakers_loopback "$(grep ',receiver,' "$OUT" | grep ';sender,' | cut -d, -f5 | sort -n | tail -n 1)" 25 50
trace offwaketime --top 1000 -- "$K" udp 50
between live_wakers_loopback_one "$(grep -c '^receiver,sender,' "$OUT")" 1 99

# The idle thread is woken by nobody.
is live_wakers_none "$("$CULPRIT" run --format json 'syscall:close | count by w = wakers(0)' -- true 2>/dev/null | grep -c '"w":null,')" 1

# Who computes waits only because others have the CPU.
trace chaingraph -W --top 1000 -- "$W" compete 300 0
waited=$(said waited 2)
between live_wakers_preempted "$(grep ',work,\[preempted by [^]]*\],' "$OUT" | cut -d, -f4 | awk '{ n += $1 } END { printf "%.0f", n }')" \
	$((waited / 2)) $((waited * 11 / 10))

is live_waker_of_another "$("$CULPRIT" explain 'sched:sched_waking | count by waker(p.comm)' 2>&1 | grep -c 'needs the name of the running thread')" 1

# One hop, with the waker's stack.
trace wakeuptime --top 1000 -- "$K" mutex 50
between live_wakers_mutex "$(grep '^waiter,wake,' "$OUT" | grep -c 'futex_wake')" 1 9
trace offwaketime -K --top 1000 -- "$K" mutex 50
between live_wakers_mutex_both "$(grep '^waiter,wake,' "$OUT" | grep -c 'futex_wait.*futex_wake')" 1 99
trace wakeuptime --top 1000 -- "$W" sleep 20 1000000
between live_wakers_timer "$(grep '^work,' "$OUT" | grep -c 'hrtimer_wakeup')" 1 99
between live_wakers_timer_names "$(grep -c '^work,\[timer\],.*hrtimer_wakeup' "$OUT")" 1 99
trace offwaketime -K --top 1000 -- "$W" sleep 20 1000000
between live_wakers_timer_both "$(grep '^work,\[timer\],' "$OUT" | grep -c 'nanosleep.*hrtimer_wakeup')" 1 99

# Until the last row: a timer's handler is no thread also while programs go away.
for i in 1 2 3 4 5 6 7 8 9 10; do
	trace run 'sched:sched_waking | count by who = waker(current.comm), kstack' -d 0.2
	grep 'hrtimer_interrupt\|;run_timer_softirq' "$OUT"
done >"$TMP/handlers"
between live_wakers_handlers "$(wc -l <"$TMP/handlers")" 1 100000
is live_wakers_handlers_to_the_end "$(grep -v '^\[' "$TMP/handlers")" ''

# What softirqs leave to ksoftirqd they leave at the interrupt's end, behind the last handler.
left() {
	"$W" compete 500 0 >"$TMP/compete" &
	trace run 'sched:sched_waking | where comm ~ "ksoftirqd/*" | count by w = waker(current.comm), kstack;
		sched:sched_switch | where next_comm ~ "ksoftirqd/*" | count by chain = wakers(next_pid)' -d 0.5
	wait $!
	grep -q '_irq_exit_rcu.*handle_softirqs\|handle_softirqs.*_irq_exit_rcu' "$OUT"
}
for i in 1 2 3 4 5 6 7 8 9 10; do
	left && break
done
if grep 'irq_exit_rcu' "$OUT" | grep handle_softirqs >"$TMP/behind"; then
	is live_wakers_softirqs_left "$(grep -vcE '^\[(softirq|timer|irq)[^]]*\],' "$TMP/behind")" 0
	between live_wakers_softirqs_left_chain "$(sed '1,/^"*chain/d' "$OUT" | grep -cE '^\[softirq ')" 1 1000
else
	for name in live_wakers_softirqs_left live_wakers_softirqs_left_chain; do
		echo "skip $name: nothing was left to ksoftirqd here"
	done
fi

# A disk that has an interrupt: reads past the page cache.
find_disk
if [ -z "$on_disk" ]; then
	for name in live_wakers_disk live_wakers_disk_stack live_wakers_disk_both live_wakers_irq_names; do
		echo "skip $name: the files are on no disk"
	done
	exit 0
fi
trap 'rm -rf "$on_disk"' EXIT
dd if=/dev/zero of="$on_disk/read" bs=4k count=50 conv=fsync status=none
trace chaingraph -W --top 1000 -- dd if="$on_disk/read" of=/dev/null bs=4k iflag=direct status=none
between live_wakers_disk "$(grep ',dd,' "$OUT" | grep -cE ',\[(irq [^]]*|softirq BLOCK)\],')" 1 9
trace wakeuptime --top 1000 -- dd if="$on_disk/read" of=/dev/null bs=4k iflag=direct status=none
between live_wakers_disk_stack "$(grep -E '^dd,\[(irq [^]]*|softirq BLOCK)\],' "$OUT" | grep -cE 'handle_irq_event|blk_done_softirq|blk_complete_reqs')" 1 99
trace offwaketime -K --top 1000 -- dd if="$on_disk/read" of=/dev/null bs=4k iflag=direct status=none
between live_wakers_disk_both "$(grep -E '^dd,\[(irq [^]]*|softirq BLOCK)\],' "$OUT" |
	grep -cE 'io_schedule.*(handle_irq_event|blk_done_softirq|blk_complete_reqs)')" 1 99

# An interrupt by its name in /proc/interrupts, of which 15 bytes are known.
dd if="$on_disk/read" of="$on_disk/written" bs=4k iflag=direct oflag=direct status=none &
trace run 'irq:softirq_raise, sched:sched_waking | count by who = waker(current.comm)' -d 0.5
wait $!
sed -n 's/^\(\[irq.*\),[0-9]*$/\1/p' "$OUT" | while read -r who; do
	name=${who#"[irq "} name=${name%]}
	case $name in
	IPI | work | timer) known=1 ;;
	?*) known=$(grep -cF -- "$name" /proc/interrupts) ;;
	*) known=0 ;;
	esac
	[ "$who" = "[irq $name]" ] && [ "$known" -gt 0 ] && echo known || echo "not known: $who"
done >"$TMP/irqs"
is live_wakers_irq_names "$(sort -u "$TMP/irqs")" known
