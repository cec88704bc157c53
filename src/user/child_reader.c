/*
 * Children that read files. Question and answer are bytes behind their number, on a
 * socket; the first answer, to no question, is why it cannot be read, or nothing.
 *
 * The child has no other file of this process open, gets no signal of its terminal and
 * ends with it.
 */
#include "user/child_reader.h"
#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_BYTES_MOST (4ull << 30)	/* beyond what this process has */
#define TROUBLE_BYTES 160

struct child_reader {
	pid_t pid;			/* 0: it has ended */
	int socket, most_ms;
	char trouble[TROUBLE_BYTES];
};

/* ---- bytes on the socket ---- */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* 0, -ETIMEDOUT, or -EPIPE: the other side is gone. until_ms < 0: waits for ever. */
static int wait_for(int fd, short events, int64_t until_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	do {
		int64_t left = until_ms < 0 ? -1 : until_ms - now_ms();

		n = poll(&p, 1, left > 0 || until_ms < 0 ? (int)left : 0);
	} while (n < 0 && errno == EINTR);
	return n > 0 ? 0 : n ? -EPIPE : -ETIMEDOUT;
}

static int transfer(int fd, void *bytes, size_t n, bool out, int64_t until_ms)
{
	for (size_t done = 0; done < n;) {
		char *at = (char *)bytes + done;
		ssize_t got = out ? send(fd, at, n - done, MSG_NOSIGNAL | MSG_DONTWAIT)
				  : recv(fd, at, n - done, MSG_DONTWAIT);
		int code;

		if (got > 0) {
			done += (size_t)got;
		} else if (!got || (errno != EAGAIN && errno != EINTR)) {
			return -EPIPE;
		} else {
			code = wait_for(fd, out ? POLLOUT : POLLIN, until_ms);
			if (code)
				return code;
		}
	}
	return 0;
}

static int put(int fd, const void *bytes, size_t n, int64_t until_ms)
{
	uint32_t size = (uint32_t)n;
	int code = transfer(fd, &size, sizeof(size), true, until_ms);

	return code ? code : transfer(fd, (void *)bytes, n, true, until_ms);
}

static int take(int fd, struct buf *to, int64_t until_ms)
{
	char piece[4096];
	uint32_t left;
	int code = transfer(fd, &left, sizeof(left), false, until_ms);

	buf_clear(to);
	if (!code && left > CHILD_READER_ANSWER_MOST)
		code = -EPIPE;
	while (!code && left) {
		uint32_t n = left < sizeof(piece) ? left : sizeof(piece);

		code = transfer(fd, piece, n, false, until_ms);
		if (!code)
			buf_add(to, piece, n);
		left -= n;
	}
	return code;
}

/* ---- the child ---- */

static uint64_t memory_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Only the socket, as 3, and the file, as 4, stay open. */
static bool keep_files(int socket, int fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int s = fcntl(socket, F_DUPFD_CLOEXEC, 5), f = fcntl(fd, F_DUPFD_CLOEXEC, 5);

	if (null < 0 || s < 0 || f < 0)
		return false;
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	dup2(s, 3);
	dup2(f, 4);
	syscall(SYS_close_range, 5u, ~0u, 0u);
	return true;
}

static void confine(void)
{
	uint64_t room = memory_bytes() + MEMORY_BYTES_MOST;
	struct rlimit memory = { room, room };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	setsid();
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setrlimit(RLIMIT_AS, &memory);
}

static void serve(const struct child_reader_work *work)
{
	struct buf question = { 0 }, answer = { 0 };
	const char *why = "";
	void *self;

	alarm((unsigned int)work->most_ms / 1000 + 1);
	self = work->begin(4, &why);
	for (int code = put(3, why, self ? 0 : strlen(why), -1); !code && self;) {
		alarm(0);
		code = take(3, &question, -1);
		if (code)
			break;
		alarm((unsigned int)work->most_ms / 1000 + 1);
		buf_clear(&answer);
		work->answer(self, question.p, question.n, &answer);
		code = put(3, answer.p, answer.n, -1);
	}
}

/* ---- this side ---- */

static void give_up(struct child_reader *c, int code)
{
	int status = 0;

	if (code == -ETIMEDOUT)
		kill(c->pid, SIGKILL);
	/* it has ended, or will at the end of its socket */
	close(c->socket);
	c->socket = -1;
	if (c->pid > 0)
		waitpid(c->pid, &status, 0);
	c->pid = 0;
	if (code == -ETIMEDOUT || (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM))
		snprintf(c->trouble, sizeof(c->trouble), "takes more than %d s to read",
			 c->most_ms / 1000);
	else if (WIFSIGNALED(status))
		snprintf(c->trouble, sizeof(c->trouble), "is damaged: what reads it broke (signal %d)",
			 WTERMSIG(status));
	else
		snprintf(c->trouble, sizeof(c->trouble), "is damaged, or takes more than %d GiB of "
			 "memory to read", (int)(MEMORY_BYTES_MOST >> 30));
}

struct child_reader *child_reader_start(const struct child_reader_work *work, int fd)
{
	struct child_reader *c = xcalloc(1, sizeof(*c));
	struct buf why = { 0 };
	int ends[2], code;

	c->socket = -1;
	c->most_ms = work->most_ms;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		snprintf(c->trouble, sizeof(c->trouble), "cannot be read: %s", strerror(errno));
		return c;
	}
	c->pid = fork();
	if (!c->pid) {
		if (keep_files(ends[1], fd)) {
			confine();
			serve(work);
		}
		_exit(0);
	}
	close(ends[1]);
	c->socket = ends[0];
	if (c->pid < 0) {
		snprintf(c->trouble, sizeof(c->trouble), "cannot be read: %s", strerror(errno));
		return c;
	}
	code = take(c->socket, &why, now_ms() + c->most_ms);
	if (code)
		give_up(c, code);
	else if (why.n)
		snprintf(c->trouble, sizeof(c->trouble), "%s", why.p);
	buf_fini(&why);
	return c;
}

void child_reader_stop(struct child_reader *c)
{
	if (!c)
		return;
	if (c->pid > 0) {
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	if (c->socket >= 0)
		close(c->socket);
	free(c);
}

bool child_reader_ask(struct child_reader *c, const void *question, size_t bytes, struct buf *answer)
{
	int64_t until = now_ms() + c->most_ms;
	int code;

	if (*c->trouble)
		return false;
	code = put(c->socket, question, bytes, until);
	if (!code)
		code = take(c->socket, answer, until);
	if (code)
		give_up(c, code);
	return !code;
}

const char *child_reader_trouble(const struct child_reader *c)
{
	return *c->trouble ? c->trouble : NULL;
}
