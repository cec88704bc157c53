#!/bin/sh
# Stacks of programs whose code culprit did not come to read yet: they end there and are counted; no
# inner frame is passed over. What it has read, tables or not, is walked on: from a program's first call on.
. tests/live/lib
needs_bpf live_unread_command live_unread_known live_unread_new live_unread_exec live_unread_pointers live_unread_interrupted live_whole_in_namespace
"$CULPRIT" doctor | grep -q '^ *yes *unwind_tables' ||
	{ echo 'skip live_unread: no bpf_loop or not x86-64 here'; exit 0; }
cat >"$TMP/unread.c" <<'ENDC'
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < 100; i++) syscall(SYS_getppid); pause(); return 0; }
ENDC
cat >"$TMP/pointers.c" <<'ENDC'
#include <signal.h>
#include <sys/syscall.h>
static long call(long n, long a, long b)
{
	long r;
	__asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return r;
}
__attribute__((noinline)) void inner(void) { volatile char room[300]; room[9] = 1; call(SYS_getppid, 0, 0); }
__attribute__((noinline)) void outer(void) { inner(); __asm__ volatile(""); }
void begin(void)
{
	call(SYS_kill, call(SYS_getpid, 0, 0), SIGSTOP);
	for (int i = 0; i < 100; i++)
		outer();
	for (;;)
		call(SYS_pause, 0, 0);
}
__asm__(".globl _start\n_start: xor %ebp, %ebp\n call begin\n");
ENDC
cc -O2 -o "$TMP/unread" "$TMP/unread.c" && cc -O1 -static -nostdlib -fno-omit-frame-pointer \
	-fno-asynchronous-unwind-tables -fno-stack-protector -o "$TMP/pointers" "$TMP/pointers.c" ||
	{ bad live_unread_new; exit; }

# A program's own libraries are read before it is released; another's where it ran before.
cat >"$TMP/needed.c" <<'ENDC'
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) void inner(void) { volatile char room[300]; room[9] = 1; syscall(SYS_getppid); room[8] = 1; }
void outer(void) { inner(); __asm__ volatile(""); }
ENDC
cat >"$TMP/brief.c" <<'ENDC'
#include <sys/wait.h>
#include <unistd.h>
void outer(void);
int main(int argc, char **argv)
{
	if (argc > 1)
		pause();
	fork();
	for (int i = 0; i < 100; i++)
		outer();
	wait(0);
	return 0;
}
ENDC
cc -O1 -shared -fPIC -o "$TMP/libneeded.so" "$TMP/needed.c" &&
	cc -O1 -o "$TMP/brief" "$TMP/brief.c" -L"$TMP" -lneeded -Wl,-rpath,'$ORIGIN' || { bad live_unread_command; exit; }
whole() { # NAME: all stacks of a program and its child are there and whole, in one row
	is "$1" "$(rows) $(sum count) $(grep -c 'main;outer;inner;syscall' "$OUT") $(counted 'stacks unread')" '1 200 1 0'
}
query='syscall:getppid | where comm == "brief" | count by ustack'
trace run "$query" -- "$TMP/brief"
whole live_unread_command

"$TMP/brief" waits &
traced_pid=$!
await $traced_pid grep -q libneeded /proc/$traced_pid/maps
trace_begin run "$query"
kill -STOP "$tracer"
"$TMP/brief"
kill -CONT "$tracer"
traced INT
kill -KILL $traced_pid
wait $traced_pid 2>/dev/null
whole live_unread_known

state() { # LETTER
	await $traced_pid grep -q "^State:.$1" /proc/$traced_pid/status
}
ends() { # NAME EXPECTED: the program has done all and waits
	state S
	kill -CONT "$tracer"
	traced INT
	kill -KILL $traced_pid
	wait $traced_pid 2>/dev/null
	is "$1" "$(cells count "ustack=$2") $(rows) $(counted 'stacks unread')" "100 1 ${3-100}"
}
query='syscall:getppid | where comm == "unread" | count by ustack'
trace_begin run "$query"
kill -STOP "$tracer"
"$TMP/unread" &
traced_pid=$!
await $traced_pid grep -q unread /proc/$traced_pid/comm
ends live_unread_new '[its code is not read yet];main;syscall'

# known as another program
sh -c 'kill -STOP $$; exec "$0"' "$TMP/unread" &
traced_pid=$!
state T
trace_begin run "$query"
kill -STOP "$tracer"
kill -CONT $traced_pid
await $traced_pid grep -q unread /proc/$traced_pid/comm
ends live_unread_exec '[its code is not read yet];main;syscall'

"$TMP/pointers" &
traced_pid=$!
state T
trace_begin run 'syscall:getppid | count by ustack' -p $traced_pid
kill -CONT $traced_pid
ends live_unread_pointers '_start;begin;outer;inner' 0

# Interrupted where the frame pointer is still the caller's, or again: the instruction tells.
cat >"$TMP/interrupted.c" <<'ENDC'
__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
__attribute__((noinline)) void outer(void) { inner(); inner(); inner(); inner(); __asm__ volatile(""); }
void begin(void) { for (;;) outer(); }
__asm__(".globl _start\n_start: xor %ebp, %ebp\n call begin\n");
ENDC
cc -O1 -static -nostdlib -fno-omit-frame-pointer -fno-asynchronous-unwind-tables -fno-stack-protector \
	-o "$TMP/interrupted" "$TMP/interrupted.c" || { bad live_unread_interrupted; exit; }
"$TMP/interrupted" &
traced_pid=$!
await $traced_pid grep -q interrupted /proc/$traced_pid/comm
trace run -d 2 'cpu@999hz | count by ustack' -p $traced_pid
kill -KILL $traced_pid
wait $traced_pid 2>/dev/null
is live_unread_interrupted "$(($(sum count) > 50)) $(grep -vcE '^_start;begin(;outer(;inner)?)?,|^ustack,' "$OUT")" '1 0'

# In a PID namespace tables are found by the numbers there.
cat >"$TMP/whole.c" <<'ENDC'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { raise(SIGSTOP); for (int i = 0; i < 100; i++) syscall(SYS_getppid); pause(); return 0; }
ENDC
if ! unshare -p -f --mount-proc cc -O2 -o "$TMP/whole" "$TMP/whole.c" 2>/dev/null; then
	echo 'skip live_whole_in_namespace: no PID namespaces here'
	exit 0
fi
unshare -p -f --mount-proc sh -c '. tests/live/lib
	"$TMP/whole" &
	whole=$!
	await $whole grep -q "^State:.T" /proc/$whole/status
	trace_begin run "syscall:getppid | where comm == \"whole\" | count by ustack"
	kill -CONT $whole
	await $whole grep -q "^State:.S" /proc/$whole/status
	traced INT
	kill -KILL $whole
	is live_whole_in_namespace "$(grep -c "main;syscall,100" "$OUT")" 1'
