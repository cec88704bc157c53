#!/bin/sh
# Stacks of programs that do a known thing, and the tools that show them.
. tests/live/lib
needs_bpf live_stackcount live_offcputime live_wakeuptime live_offwaketime live_stack_names live_stack_worst \
	live_stack_full live_stack_deep live_stacks_new live_stacks_taken

# Rows with this in a column, by the text of the row.
has() { grep -c "$1" "$OUT"; }

# Two threads that share a CPU: who waits is in schedule(), and waits for nobody when preempted.
trace offcputime -L -- "$W" compete "$(less 200)" 0
is live_offcputime_stack "$(($(rows comm=work) > 0)) $(grep ',work,' "$OUT" | grep -vc '__schedule')" "1 0"
trace offcputime --state 0 -K -- "$W" compete "$(less 200)" 0
is live_offcputime_preempted "$(grep ',work,' "$OUT" | grep -c 'futex_wait')" 0

# Of a pipe: who wrote, and how; who read.
trace wakeuptime --top 1000 -- "$W" pingpong 500
between live_wakeuptime "$(grep -E '^(work,pong|pong,work),' "$OUT" | grep -c 'pipe_write;')" 1 99
# Which of the two sleeps is the scheduler's matter: on two CPUs the other may answer in time.
trace offwaketime --top 1000 -- "$W" pingpong 500
between live_offwaketime "$(grep -E '^(work,pong|pong,work),' "$OUT" |
	grep -c 'pipe_read;.*pipe_write;')" 1 999

# Each call, by its stack: of a process that was there before.
WORK_STOPPED=1 "$W" getppid 100 >/dev/null &
stopped=$!
await $stopped grep -q '^State:.T' /proc/$stopped/status
trace_begin stackcount syscall:getppid -P -p $stopped
kill -CONT $stopped
wait $stopped
traced INT
is live_stackcount "$(sum count comm=work) $(grep -w work "$OUT" | grep -c do_syscall_64)" "100 1"
trace stackcount libc.so.6:getenv -K --top 1 -d 0.1
is live_stackcount_function "$status" 0

# Named, though the program has ended when it is shown.
trace run 'syscall:nanosleep | worst 1 print duration, ustack, kstack = begin.kstack' \
	-- "$W" sleep 3 100000000
is live_stack_names "$(rows) $(has 'syscall,')" "1 1"
is live_stack_worst "$(has 'do_syscall_64')" 1
trace run --format folded 'syscall:clock_nanosleep.enter | count by comm, stack' -- sleep 0.3
is live_stack_folded "$(grep -c '^sleep;.*nanosleep.*;do_syscall_64[^;]*;.* 1$' "$OUT")" 1

# Of the kernel's, deeper than the 32 frames that it is asked for first: a poll of polls of a
# socket of the loopback is woken up.
if command -v python3 >/dev/null; then
	cat >"$TMP/deep.py" <<'END'
import select, socket, threading, time
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
polled = [server.accept()[0]]
for level in range(4):
    polled.append(select.epoll())
    polled[-1].register(polled[-2], select.EPOLLIN)
thread = threading.Thread(target=polled[-1].poll)
thread.start()
time.sleep(0.3)
client.send(b"x")
thread.join()
END
	trace run --format folded 'sched:sched_waking | count by kstack' -- timeout 20 python3 "$TMP/deep.py"
	is live_stack_deep "$(awk -F ';' 'NF > 32 && /^entry_SYSCALL.*sendto.*ep_poll_callback.*try_to_wake_up/ { n++ }
		END { print (n > 0) }' "$OUT")" 1
else
	echo 'skip live_stack_deep: no python3 (package python3)'
fi

# More stacks than there is room for: counted, and apart all the same.
trace run --table-size 2 'syscall:*.enter, sched:sched_switch | count by kstack' -- "$W" pingpong 100
between live_stack_full "$(loss 'stacks dropped')" 1 100000000

# From several places in one function: for who reads the names it is one stack.
cat >"$TMP/places.c" <<'END'
#include <unistd.h>
__attribute__((noinline)) void ask(void) { getppid(); __asm__ volatile(""); }
__attribute__((noinline)) void other(void) { getppid(); __asm__ volatile("nop"); }
int main(void)
{
	usleep(400000);
	for (int i = 0; i < 3; i++)
		ask();
	ask();
	ask();
	other();
}
END
gcc -O1 -o "$TMP/places" "$TMP/places.c"
trace run 'syscall:getppid.enter | count, first = min(time), values = distinct(time), all = hist(pid as u64) by comm, ustack | sort count' -- "$TMP/places"
is live_stacks_alike "$(rows) $(cells count | tr '\n' ' ')$(cells values | tr '\n' ' ')" "2 1 5 1 5 "

# More new stacks in a second than there is room for: they are taken sooner.
if [ -z "$ALL" ]; then
	echo 'skip live_stacks_new: only with --all: on a busy machine culprit comes late'
	exit 0
fi
cat >"$TMP/paths.c" <<'END'
#include <time.h>
#include <unistd.h>
#define N __attribute__((noinline)) static void
N zero(unsigned path, int n);
N one(unsigned path, int n);
static void next(unsigned path, int n) { n ? (path & 1 ? one : zero)(path >> 1, n - 1) : (void)getppid(); }
N zero(unsigned path, int n) { next(path, n); __asm__ volatile(""); }
N one(unsigned path, int n) { next(path, n); __asm__ volatile("nop"); }
int main(void)
{
	for (unsigned i = 0; i < 4000; i++) {
		next(i, 12);
		if (i % 100 == 99)
			nanosleep(&(struct timespec){ .tv_nsec = 40000000 }, 0);
	}
}
END
gcc -O1 -fno-optimize-sibling-calls -o "$TMP/paths" "$TMP/paths.c"
trace run --table-size 4094 'syscall:getppid.enter | count by ustack' -- "$TMP/paths"
# those of its first ms may stop where its code is not known yet, and are one
between live_stacks_new "$(rows)" 3000 4000
is live_stacks_taken "$status $(sum count) $(loss 'stacks dropped')" "0 4000 0"
