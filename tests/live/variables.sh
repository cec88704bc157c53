#!/bin/sh
# usym() of an address of a program's memory is the variable's name, of the stack and the heap none.
. tests/live/lib
needs_bpf live_variable_of_command live_variable_of_tool live_variable_of_process live_variable_static
cat >"$TMP/vars.c" <<'ENDC'
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int in_data = 1;
static struct { long before[3]; int word; } in_bss;
static void wake(void *p) { for (int i = 0; i < 10; i++) syscall(SYS_futex, p, FUTEX_WAKE, 1, 0, 0, 0); }
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		raise(SIGSTOP);
	wake(&in_data);
	wake(&in_bss.word);
	wake(malloc(argc * 100));
	wake(&argc);
	syscall(SYS_futex, &in_bss.word, FUTEX_WAIT, 99, 0, 0, 0);
	if (argc > 1)
		pause();
	return 0;
}
ENDC
query='syscall:futex | where op == 1 | count by name = usym(uaddr)'
seen() { # NAME
	is "$1" "$(cells count name=in_data+0) $(cells count name=in_bss+0x18) $(grep -c '^0x.*,10$' "$OUT")" '10 10 2'
}
of_command() { # NAME OPTION...
	name=$1
	shift
	cc -O1 "$@" -o "$TMP/vars" "$TMP/vars.c" || { bad "$name"; return; }
	"$CULPRIT" run "$query" --format csv -- "$TMP/vars" >"$OUT" 2>"$ERR"
	seen "$name"
}
of_command live_variable_static -static
of_command live_variable_of_command
"$CULPRIT" futexctn --variables -- "$TMP/vars" >"$OUT" 2>"$ERR"
is live_variable_of_tool "$(grep -c '^pid = .* name = in_bss+0x18$' "$OUT")" 1
"$TMP/vars" stop &
stopped=$!
await $stopped grep -q '^State:.T' /proc/$stopped/status
trace_begin run "$query" -p $stopped
kill -CONT $stopped
await $stopped grep -q '^State:.S' /proc/$stopped/status
traced INT
kill -KILL $stopped
wait $stopped 2>/dev/null
seen live_variable_of_process
