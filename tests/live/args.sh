#!/bin/sh
# argv(argv) of an exec is /proc/PID/cmdline of the new program, or ends in ... and is counted.
. tests/live/lib
needs_bpf live_args live_args_whole live_args_counted live_args_refused live_args_glob live_args_entry \
	live_args_entry_counted live_args_tool live_args_quoted live_args_of_others

cat >"$TMP/args.c" <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell_own(void)
{
	static char text[1 << 16];
	int fd = open("/proc/self/cmdline", O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text));

	for (ssize_t i = 0; i + 1 < n; i++)
		putchar(text[i] ? text[i] : ' ');
	putchar('\n');
	fflush(stdout);
}

static void try(char **argv)
{
	if (!fork()) {
		execv("/proc/self/exe", argv);
		_exit(1);
	}
	wait(NULL);
}

static void try_n(int n, int bytes)	/* arguments of so many bytes */
{
	char **argv = calloc((size_t)n + 2, sizeof(*argv));

	argv[0] = strdup("args");
	for (int i = 1; i <= n; i++) {
		argv[i] = calloc((size_t)bytes + 1, 1);
		memset(argv[i], 'a' + i % 26, (size_t)bytes);
	}
	try(argv);
}

int main(void)
{
	char *empty[] = { strdup("args"), strdup("A"), strdup(""), strdup("B"), strdup(""), strdup(""), NULL };

	if (getenv("TELL")) {
		tell_own();
		return 0;
	}
	tell_own();
	setenv("TELL", "1", 1);
	for (int i = 0; i < 10; i++) {
		/* literals, whose page a child does not have before it reads them */
		if (!fork()) {
			execl("/proc/self/exe", "args", "secret", "words", (char *)NULL);
			_exit(1);
		}
		wait(NULL);
	}
	try(empty);
	try_n(100, 3);
	try_n(1, 506);		/* 512 bytes with their NULs */
	try_n(1, 507);
	try_n(1, 5000);
	try_n(300, 1);
	if (!fork()) {
		execl("/proc/self/no", "args", "refused", "words", (char *)NULL);
		_exit(1);
	}
	wait(NULL);
	return 0;
}
END
gcc -o "$TMP/args" "$TMP/args.c"

# Rows, how many are wrong, how many are not whole.
compared() {
	cells args >"$TMP/got"
	paste "$TMP/got" "$DID" | awk -F'\t' '
		$1 ~ /\.\.\.$/ { cuts++; sub(/\.\.\.$/, "", $1); $2 = substr($2, 1, length($1)) }
		$1 != $2 { wrong++ }
		END { print NR, wrong + 0, cuts + 0 }'
}
trace run 'syscall:execve | where ret == 0 | print args = argv(argv, 512)' -- "$TMP/args"
is live_args "$(compared)" "17 0 3"
is live_args_whole "$(awk 'length < 512' "$DID" | sort)" "$(grep -v '\.\.\.$' "$TMP/got" | sort)"
is live_args_counted "$(counted cut) $(counted absent)" "3 0"
trace run 'syscall:execve | where ret < 0 | print args = argv(argv, 512)' -- "$TMP/args"
is live_args_refused "$(cells args)" "args refused words"
trace run 'syscall:execve | where argv(argv) ~ "args A  B  " | count by args = argv(argv)' -- "$TMP/args"
is live_args_glob "$(rows 'args=args A  B  ' count=1)" 1
# At the entry what is not there is said.
trace run 'syscall:execve.enter | print args = argv(argv, 512)' -- "$TMP/args"
sed -i '$!b; $a args refused words' "$DID"
set -- $(compared)
is live_args_entry "$1 $2" "18 0"
is live_args_entry_counted "$(($(counted cut) + $(counted absent)))" "$3"
trace execsnoop -- "$TMP/args"
is live_args_tool "$(compared)" "17 0 3"
# With quotes a shell reads them back as they were.
trace execsnoop -Q -- /bin/true 'a b' '' '$x *' 'last '
eval "set -- $(cells args | tail -n 1)"
shift
is live_args_quoted "$(printf '<%s>' "$@")" "<a b><><\$x *><last >"
"$CULPRIT" execsnoop -q --format json -- /bin/true 'a b' '' 2>"$ERR" | grep -F '"comm":"true"' >"$TMP/json"
is live_args_in_json "$(grep -c "\"args\":\"/bin/true 'a b' ''\"" "$TMP/json")" 1
# Another's memory can't be read from here.
trace run 'sched:sched_wakeup | where p.pid != tid | print args = cmdline(p)' -- "$TMP/args"
is live_args_of_others "$status $(cells args | sort -u) $(($(rows) - $(counted absent)))" "0 ... 0"
