#!/bin/sh
# path(file(fd)) is what readlink of /proc/PID/fd/N says: of each kind of descriptor, of
# deleted files, and of deep ones; what is not whole begins with ... and is counted.
. tests/live/lib
needs_bpf live_path_kinds live_path_keys live_path_long live_path_long_counted live_path_escaped \
	live_path_deep live_path_deep_counted live_path_deep_json live_path_deep_keys

cat >"$TMP/fds.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void told(int fd)
{
	char link[64], text[8192];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : readlink(link, text, sizeof(text));
	if (n < 0)
		return;
	printf("%.*s\n", (int)n, text);
	lseek(fd, 77, SEEK_SET);
}

static int removed(const char *name)
{
	int fd = open(name, O_CREAT | O_RDWR, 0600);

	unlink(name);
	return fd;
}

static void kinds(void)
{
	int pair[2];
	sigset_t none;

	sigemptyset(&none);
	told(pipe(pair) ? -1 : pair[0]);
	told(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ? -1 : pair[1]);
	told(socket(AF_INET, SOCK_DGRAM, 0));
	told(memfd_create("a memory", 0));
	told(memfd_create("\303\244 (deleted)/:[%n]", 0));
	told(epoll_create1(0));
	told(eventfd(0, 0));
	told(timerfd_create(CLOCK_MONOTONIC, 0));
	told(signalfd(-1, &none, 0));
	told(inotify_init());
	told((int)syscall(SYS_pidfd_open, getpid(), 0));
	told(open("/proc/self/ns/mnt", O_RDONLY));
	told(open("/proc/self/ns/pid_for_children", O_RDONLY));
	told(removed("gone"));
	told(removed("gone (deleted)"));
	told(open(".", O_TMPFILE | O_RDWR, 0600));
	told(open("there (deleted)", O_CREAT | O_RDWR, 0600));
	mkdir("folder", 0700);
	pair[0] = open("folder", O_RDONLY | O_DIRECTORY);
	rmdir("folder");
	told(pair[0]);
	told(open(".", O_RDONLY | O_DIRECTORY));
	told(open("/", O_RDONLY | O_DIRECTORY));
	told(open("/dev/null", O_RDONLY));
	told(open("/proc/self/stat", O_RDONLY));
	told(open("/sys/kernel", O_RDONLY));
	told(open("there (deleted)", O_PATH));
}

/* A file in each of 100 folders inside of each other, which go with the last. */
static void deep(void)
{
	int at[101];

	for (int i = 0; i <= 100; i++) {
		at[i] = i ? open("a", O_RDONLY | O_DIRECTORY) : open(".", O_RDONLY | O_DIRECTORY);
		if (fchdir(at[i]) || mkdir("a", 0700))
			return;
		told(open("f", O_CREAT | O_RDWR, 0600));
	}
	for (int i = 100; i >= 0; i--)
		if (unlinkat(at[i], "f", 0) || unlinkat(at[i], "a", AT_REMOVEDIR))
			return;
}

/* A folder that is moved out of the one whose mount it was opened in: readlink says / */
static int escaped(void)
{
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mkdir("from", 0700) || mkdir("at", 0700) || mkdir("from/in", 0700) ||
	    mount("from", "at", NULL, MS_BIND, NULL))
		return -1;
	fd = open("at/in", O_RDONLY | O_DIRECTORY);
	if (rename("from/in", "out"))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2) {
		kinds();
	} else if (!strcmp(argv[1], "memory")) {
		told(memfd_create("124567890123456789012345678901234567890123456789012345678901234567890"
				  "1234567890123456789012345678901234567890123456", 0));
		told(memfd_create("1234567890123456789012345678901234567890123456789012345678901234567890"
				  "1234567890123456789012345678901234567890123456789012345678901", 0));
	} else if (!strcmp(argv[1], "escaped")) {
		told(escaped());
	} else {
		deep();
	}
	return 0;
}
END
gcc -o "$TMP/fds" "$TMP/fds.c"
mkdir "$TMP/at" && cd "$TMP/at" || exit

fds() { # COLUMNS ...: of each descriptor that is told
	trace run "syscall:lseek | where offset == 77 | $1" -- "$TMP/fds" $2
}

fds 'print path = path(file(fd))'
is live_path_kinds "$(cells path)" "$(grep . "$DID" || echo "no paths")"
# Keys have less room, and short paths are whole in them.
fds 'count by path = path(file(fd))'
is live_path_keys "$(cells path | grep -v -e "$TMP" -e '^\.\.\./' | sort)" "$(grep -v "$TMP" "$DID" | sort)"
# One byte more than there is room for.
fds 'print path = path(file(fd))' memory
is live_path_long "$(cells path | tail -n 1 | cut -c 1-12)$(cells path | head -n 1)" \
	".../memfd:12$(head -n 1 "$DID")"
is live_path_long_counted "$(counted cut)" 1

# No mount leads there: the path is the file system's own, whatever of it is mounted, and where.
fds 'print path = path(file(fd))' escaped
mount=$(stat -c %m .)
root=$(awk -v at="$mount" '$5 == at { root = $4 } END { print root }' /proc/self/mountinfo)
is live_path_escaped "$(cells path) $(counted cut)" "...${root%/}${PWD#"${mount%/}"}/out 1"

# How many differ from what was told, how many are not whole.
compared() { # PATHS BYTES: those that fit into so many are whole
	paste "$1" "$DID" | awk -F'\t' -v room="$2" '
		{ cut = substr($1, 1, 4) == ".../"; rest = substr($1, 4) }
		cut { cuts++ }
		cut != (length($2) > room) || (cut ? substr($2, length($2) - length(rest) + 1) != rest : $1 != $2) {
			wrong++
		}
		END { print NR, wrong + 0, cuts + 0 }'
}
fds 'print path = path(file(fd))' deep
cells path >"$TMP/paths"
deep=$(compared "$TMP/paths" 128)
cuts=${deep##* }
is live_path_deep "$deep" "101 0 $(awk 'length > 128' "$DID" | wc -l)"
is live_path_deep_counted "$(counted cut)" "$cuts"
"$CULPRIT" run --format json "syscall:lseek | where offset == 77 | print path = path(file(fd))" \
	-- "$TMP/fds" deep >"$OUT" 2>"$ERR"
is live_path_deep_json "$(grep -c '"\.\.\./' "$OUT")" "$cuts"
# Keys: what does not fit is counted, one key or many.
fds 'count by path = path(file(fd))' deep
is live_path_deep_keys "$(($(cells path | grep -vc '^\.\.\./') + $(counted cut)))" 101
# Names that are relative, to where the process is or to a descriptor; the file need not be there.
cat >"$TMP/open.c" <<'END'
#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	int at = open("/usr/bin", O_RDONLY);

	openat(at, "no_such/x", O_RDONLY);
	openat(at, "../no_such_up", O_RDONLY);
	openat(at, "/no_such_absolute", O_RDONLY);
	openat(77, "no_such_below", O_RDONLY);
	if (chdir("/usr/share"))
		return 1;
	open("./no_such_dot", O_RDONLY);
	open("no_such", O_RDONLY);
	if (chdir("/"))
		return 1;
	open("no_such_in_root", O_RDONLY);
	return 0;
}
END
gcc -o "$TMP/open" "$TMP/open.c"
trace opensnoop -x -F --path '*no_such*' -- "$TMP/open"
is live_full_paths "$(cells path | tr '\n' ' ')" "/usr/bin/no_such/x /usr/bin/../no_such_up /no_such_absolute  $(
	)/usr/share/no_such_dot /usr/share/no_such /no_such_in_root "
