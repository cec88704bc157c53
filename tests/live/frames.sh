#!/bin/sh
# Programs' stacks through frames that are larger than a row of the tables can say, a library, code without tables.
. tests/live/lib
needs_bpf live_frame_100_kb live_frame_300_kb live_frame_2_mb live_frame_300_kb_bp live_frame_of_a_library live_frame_at_entry live_frame_of_call
"$CULPRIT" doctor | grep -q '^ *yes *unwind_tables' ||
	{ echo 'skip live_frames: no bpf_loop or not x86-64 here'; exit 0; }
cat >"$TMP/large.c" <<'ENDC'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) void leaf(char *p) { for (int i = 0; i < 100; i++) syscall(SYS_getppid); p[0] = 1; }
__attribute__((noinline)) void large(int n) { char room[BYTES]; leaf(room + n); __asm__ volatile("" :: "r"(room) : "memory"); }
int main(int argc, char **argv) { (void)argv; raise(SIGSTOP); large(argc); pause(); return 0; }
ENDC
# The stacks of the table without what calls main: libc's own frames have names only where its symbols are installed.
from_main() { cells ustack | sed -E 's/^_start;__libc_start_main;(_*libc[^;]*;)?//'; }
one() { # NAME BYTES [OPTION]
	cc -O2 -DBYTES="$2" $3 -o "$TMP/large" "$TMP/large.c" || { bad "$1"; return; }
	asked "$1" "$TMP/large" 'main;large;leaf;syscall 100'
}
asked() { # NAME PROGRAM STACK
	"$2" &
	stopped=$!
	await $stopped grep -q '^State:.T' /proc/$stopped/status
	trace_begin run 'syscall:getppid | count by ustack' -p $stopped
	kill -CONT $stopped
	await $stopped grep -q '^State:.S' /proc/$stopped/status
	traced INT
	kill -KILL $stopped
	wait $stopped 2>/dev/null
	is "$1" "$(from_main) $(cells count)" "$3"
}
one live_frame_100_kb 100000
one live_frame_300_kb 300000
one live_frame_2_mb 2000000
one live_frame_300_kb_bp 300000 -fno-omit-frame-pointer

# Through a library that is neither the first nor the second of the process's code: above libc.
cat >"$TMP/through.c" <<'ENDC'
int through(void (*ask)(void)) { ask(); return 1; }
ENDC
cat >"$TMP/library.c" <<'ENDC'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int through(void (*ask)(void));
static volatile int n;
__attribute__((noinline)) void ask(void) { for (n = 0; n < 100; n++) syscall(SYS_getppid); }
int main(void) { raise(SIGSTOP); n = through(ask); pause(); return 0; }
ENDC
cc -O2 -shared -fPIC -o "$TMP/libthrough.so" "$TMP/through.c"
cc -O2 -o "$TMP/library" "$TMP/library.c" "$TMP/libthrough.so" -Wl,-rpath,"$TMP"
asked live_frame_of_a_library "$TMP/library" 'main;through;ask;syscall 100'

# Code without tables, at the first instruction of functions that make no frame: bp is still their caller's.
cat >"$TMP/entry.c" <<'ENDC'
#include <signal.h>
#include <unistd.h>
__attribute__((noinline)) long leaf(long n) { volatile long x = n; return x * 3; }
__attribute__((noinline)) long middle(long n) { return leaf(n) + leaf(n + 1); }
__attribute__((noinline)) long outer(long n) { return middle(n) + 1; }
int main(int argc, char **argv) { (void)argv; raise(SIGSTOP); outer(argc); pause(); return 0; }
ENDC
entry() { # NAME SOURCE
	"$TMP/entry" &
	stopped=$!
	await $stopped grep -q '^State:.T' /proc/$stopped/status
	trace_begin run "$2 | count by ustack" -p $stopped
	kill -CONT $stopped
	await $stopped grep -q '^State:.S' /proc/$stopped/status
	traced INT
	kill -KILL $stopped
	wait $stopped 2>/dev/null
	is "$1" "$(from_main) $(cells count)" 'main;outer;middle;leaf 2'
}
if cc -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer -fno-asynchronous-unwind-tables \
	-o "$TMP/entry" "$TMP/entry.c"; then
	entry live_frame_at_entry "$TMP/entry:leaf().enter"
	entry live_frame_of_call "$TMP/entry:leaf()"
else
	bad live_frame_at_entry
fi
