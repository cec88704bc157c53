#!/bin/sh
# Names in stacks of running programs: with lines, inlined, and of one that is stripped.
. tests/live/lib
needs_bpf live_names_lines live_names live_names_stripped live_names_reason live_names_usym

cat >"$TMP/p.c" <<'END'
#include <unistd.h>
static inline __attribute__((always_inline)) long inner(void)
{
	long r = 110;
	__asm__ volatile("syscall; nop" : "+a"(r) : : "rcx", "r11", "memory"); /* getppid */
	return r;
}
__attribute__((noinline)) long outer(void)
{
	return inner() + 1;
}
int main(void)
{
	for (int i = 0; i < 20; i++, usleep(50000))
		if (outer() == 0) return 1;
	return 0;
}
END
# Its first stacks may end at code that was just mapped and is not read yet.
gcc -O0 -g -o "$TMP/named" "$TMP/p.c" && strip -o "$TMP/bare" "$TMP/named"

stack() { # PROGRAM OPTION ...: function, line and kind of the program's frames, a line each
	program=$1
	shift
	"$CULPRIT" run --format json "$@" 'syscall:getppid | count by ustack' \
		-- "$TMP/$program" 2>"$ERR" |
		grep -o '{"name[^}]*}\|{"module[^}]*}' |
		grep "\"module\":\"$program\"" | sort -u
}
if ls /usr/lib/*/libdw.so.1 >/dev/null 2>&1; then
	is live_names_lines "$(stack named --lines | grep -c \
		-e '"inner".*"inlined".*"line":5' -e '"outer".*"line":10' -e '"main".*"line":15')" 3
else
	echo "skip live_names_lines: no libdw.so.1 (package libdw1)"
fi
is live_names "$(stack named | grep -c '"inner"\|"line"') $(stack named | grep -c '"outer"\|"main"')" "0 2"
is live_names_stripped "$(stack bare | grep -c '"name"') $(($(stack bare | grep -c '"offset"') >= 2))" "0 1"
is live_names_reason "$(grep -c 'stripped' "$ERR")" 1

# Where the processor is, as a symbol of the process that it is of.
trace run 'cpu@499hz | where (ip as s64) >= 0 && comm == "work" | count by at = usym(ip)' \
	-- "$W" spin 300
between live_names_usym "$(cells at | grep -c 'spin.*+0x')" 1 1000
