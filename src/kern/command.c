/*
 * -- COMMAND: started, held until all is attached, waited for.
 *
 * Its tasks are found by the task storage `family`, which live.c marks through the
 * pidfd. The first thing that a marked task does is exec: the program is searched for
 * before, and the child, which waits on a pipe while all is attached, stands at a gate in
 * user space for the moment of the marking, as a return from any call would be seen. A
 * second pipe that exec closes says what exec had to say.
 */
#define _GNU_SOURCE
#include "kern/live_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TERM_GRACE_MS 500

struct gate {				/* shared with the child */
	atomic_bool reached, open;
};

struct command {
	char *const *argv;
	char path[PATH_MAX];		/* of the program, or its name when there is none */
	struct gate *gate;
	pid_t pid;
	int pidfd;
	int go;				/* closed without a byte: the child gives up */
	int said;			/* an errno of exec, or closed by it */
	bool ended;
	int status;
};

/* As execvp searches, without its attempts. */
static void find_program(struct command *c)
{
	const char *dir = getenv("PATH"), *name = c->argv[0];
	struct stat st;

	while (dir && !strchr(name, '/')) {
		int n = (int)strcspn(dir, ":");
		int bytes = snprintf(c->path, sizeof(c->path), "%.*s%s%s", n, dir, n ? "/" : "./", name);

		if (bytes < (int)sizeof(c->path) && !stat(c->path, &st) && S_ISREG(st.st_mode) &&
		    !access(c->path, X_OK))
			return;
		dir = dir[n] ? dir + n + 1 : NULL;
	}
	snprintf(c->path, sizeof(c->path), "%s", name);
}

/* In the child, from fork to exec. */
static void child(struct command *c, int go, int said)
{
	sigset_t none;
	char byte;
	int code;

	prctl(PR_SET_PDEATHSIG, SIGTERM);	/* culprit may be killed */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);	/* nohup */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	atomic_store(&c->gate->reached, true);
	while (!atomic_load(&c->gate->open))
		;
	execvp(c->path, c->argv);
	code = errno;
	while (write(said, &code, sizeof(code)) < 0 && errno == EINTR)
		;
	_exit(127);
}

struct command *command_start(char *const *argv, struct err *e)
{
	struct command *c = xcalloc(1, sizeof(*c));
	int go[2] = { -1, -1 }, said[2] = { -1, -1 };

	c->argv = argv;
	c->pidfd = c->go = c->said = -1;
	find_program(c);
	c->gate = mmap(NULL, sizeof(*c->gate), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (c->gate == MAP_FAILED || pipe2(go, O_CLOEXEC) || pipe2(said, O_CLOEXEC) || (c->pid = fork()) < 0) {
		err_push(e, -errno, "cannot start %s: %s", argv[0], strerror(errno));
		c->pid = 0;
		for (int i = 0; i < 2; i++) {
			if (go[i] >= 0)
				close(go[i]);
			if (said[i] >= 0)
				close(said[i]);
		}
		command_close(c);
		return NULL;
	}
	if (!c->pid) {
		/* its own end must go, or it would wait for itself */
		close(go[1]);
		child(c, go[0], said[1]);
	}
	close(go[0]);
	close(said[1]);
	c->go = go[1];
	c->said = said[0];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0) {
		err_push(e, -errno, "cannot watch %s: %s", argv[0], strerror(errno));
		command_close(c);
		return NULL;
	}
	return c;
}

int command_fd(const struct command *c)
{
	return c->ended ? -1 : c->pidfd;
}

pid_t command_pid(const struct command *c)
{
	return c->pid;
}

const char *command_path(const struct command *c)
{
	return c->path;
}

int command_ready(struct command *c, struct err *e)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
	bool gone = write(c->go, "", 1) != 1;

	while (!gone && !atomic_load(&c->gate->reached))
		gone = poll(&p, 1, 1) > 0;
	return gone ? err_push(e, -ECHILD, "%s went away before it began", c->argv[0]) : 0;
}

int command_release(struct command *c, struct err *e)
{
	int code = 0;
	ssize_t n;

	atomic_store(&c->gate->open, true);
	do
		n = read(c->said, &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	if (n == sizeof(code))
		return err_push(e, -code, "cannot run %s: %s", c->argv[0], strerror(code));
	return 0;
}

bool command_reap(struct command *c, int *status)
{
	if (!c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
		c->ended = true;
	*status = c->status;
	return c->ended;
}

void command_close(struct command *c)
{
	int status;

	if (!c)
		return;
	if (c->go >= 0)
		close(c->go);
	if (c->said >= 0)
		close(c->said);
	if (c->pid > 0 && !command_reap(c, &status)) {
		struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

		kill(c->pid, SIGTERM);
		kill(c->pid, SIGCONT);
		if (c->pidfd < 0 || poll(&p, 1, TERM_GRACE_MS) <= 0)
			kill(c->pid, SIGKILL);
		waitpid(c->pid, &status, 0);
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	munmap(c->gate, sizeof(*c->gate));
	free(c);
}
