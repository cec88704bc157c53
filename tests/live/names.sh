#!/bin/sh
# Names in stacks of running programs: with lines, inlined, and of one that is stripped.
# test: serial
. tests/live/lib
needs_bpf live_names_lines live_names live_names_stripped live_names_reason live_names_brief \
	live_names_brief_static live_names_usym

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
	long r = outer();

	usleep(1000000);
	return r == 0;
}
END
# The program sleeps behind the call: names need a moment in which it lives.
gcc -O0 -g -o "$TMP/named" "$TMP/p.c" && strip -o "$TMP/bare" "$TMP/named"

stack() { # PROGRAM OPTION ...: function, line and kind of each frame of the program, a line each
	program=$1
	shift
	"$CULPRIT" run --format json "$@" 'syscall:getppid | count by ustack' \
		-- "$TMP/$program" 2>"$ERR" |
		grep -o '{"name[^}]*}\|{"module[^}]*}' |
		grep "\"module\":\"$program\""
}
if ls /usr/lib/*/libdw.so.1 >/dev/null 2>&1; then
	is live_names_lines "$(stack named --lines | grep -c \
		-e '"inner".*"inlined".*"line":5' -e '"outer".*"line":10' -e '"main".*"line":14')" 3
else
	echo "skip live_names_lines: no libdw.so.1"
fi
is live_names "$(stack named | grep -c '"inner"\|"line"') $(stack named | grep -c '"outer"\|"main"')" "0 2"
is live_names_stripped "$(stack bare | grep -c '"name"') $(($(stack bare | grep -c '"offset"') >= 2))" "0 1"
is live_names_reason "$(grep -c 'stripped' "$ERR")" 1

# Processes that live for 2 ms: they are gone before anybody can look at them.
cat >"$TMP/brief.c" <<'END'
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
static volatile unsigned long sum;
static long cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
__attribute__((noinline)) static void burn_inner(void) { for (int i = 0; i < 20000; i++) sum += i; }
__attribute__((noinline)) static void burn(long ns)
{
	for (long end = cpu_ns() + ns; cpu_ns() < end; sum++)
		burn_inner();
}
int main(int argc, char **argv)
{
	char *own[] = { argv[0], 0 };
	if (argc < 2)
		burn(2000000);
	for (long n = argc < 2 ? 0 : atol(argv[1]); n > 0; n--) {
		pid_t pid;
		if (posix_spawn(&pid, argv[0], 0, 0, own, 0) || waitpid(pid, 0, 0) != pid)
			return 1;
	}
	return 0;
}
END
for kind in '' static; do
	gcc -O2 ${kind:+-$kind} -o "$TMP/brief" "$TMP/brief.c"
	"$CULPRIT" run -q --format folded --table-size 100000 \
		'cpu@499hz | where (ip as s64) >= 0 | count by comm, ustack' -- "$TMP/brief" "$(less 1000)" \
		>"$TMP/folded" 2>"$ERR"
	set -- $(awk '/^brief;/ { all += $NF; if (!/;0x/) named += $NF; if (/burn/) burn += $NF }
		END { print all + 0, named * 100 / (all + !all), burn * 100 / (all + !all) }' "$TMP/folded")
	between "live_names_brief${kind:+_$kind}" "$(awk "BEGIN { print ($1 > $(less 300) && $3 > 30) * $2 }")" 99 100
done

# Where the processor is, as a symbol of the process that it is of.
trace run 'cpu@499hz | where (ip as s64) >= 0 && comm == "brief" | count by at = usym(ip)' \
	-- "$TMP/brief" "$(less 200)"
between live_names_usym "$(awk -F, 'NR > 1 { all += $2; if (/burn_inner\+0x[0-9a-f]*,/) burn += $2 }
	END { print (all > 20 ? burn * 100 / all : "too few") }' "$OUT")" 20 100
