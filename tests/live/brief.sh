#!/bin/sh
# Names of processes that are gone before anybody can look at them.
# test: matrix serial
. tests/live/lib
needs_bpf live_names_brief live_names_brief_static live_names_usym_brief

# Processes that live for 2 ms.
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
between live_names_usym_brief "$(awk -F, 'NR > 1 { all += $2; if (/burn_inner\+0x[0-9a-f]*,/) burn += $2 }
	END { print (all > 20 ? burn * 100 / all : "too few") }' "$OUT")" 20 100
