/*
 * -- COMMAND: started, held until all is attached, waited for.
 *
 * Its tasks are found by the task storage `followed`, which live.c marks through the
 * pidfd. The first thing that a marked task does is exec, and it succeeds: the program is
 * searched for before, a script without #! is given to the shell without an attempt, and
 * the child, which waits on a pipe while all is attached, is stopped while it is marked, as
 * a return from a call would be seen and a wait in user space sampled. A second pipe that
 * exec closes says what exec had to say.
 */
#define _GNU_SOURCE
#include "kern/live/impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TERM_GRACE_MS 500
#define GIVE_UP_MS 5000			/* a process that waits for a disk cannot be killed */
#define STEP_MS 2

struct command {
	char *const *argv;
	char path[PATH_MAX];		/* of the program, or its name when there is none */
	bool script;			/* without #!: of the shell */
	pid_t pid;
	int pidfd;
	int go;				/* closed without a byte: the child gives up */
	int said;			/* an errno of exec, or closed by it */
	bool ended;
	int status;
};

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* As execvp searches, without its attempts. */
static void find_program(struct command *c)
{
	const char *dir = getenv("PATH"), *name = c->argv[0];

	while (dir && !strchr(name, '/')) {
		int n = (int)strcspn(dir, ":");
		int bytes = snprintf(c->path, sizeof(c->path), "%.*s%s%s", n, dir, n ? "/" : "./", name);

		if (bytes < (int)sizeof(c->path) && is_program(c->path))
			return;
		dir = dir[n] ? dir + n + 1 : NULL;
	}
	snprintf(c->path, sizeof(c->path), "%s", name);
}

/* Text that does not say whose it is: exec refuses it, and execvp gives it to the shell. */
static bool is_script(const char *path)
{
	char head[256];
	int fd = is_program(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd >= 0 ? read(fd, head, sizeof(head)) : -1;

	if (fd >= 0)
		close(fd);
	return n >= 0 && !memchr(head, 0, (size_t)n) && (n < 2 || memcmp(head, "#!", 2) != 0) &&
	       (n < 4 || memcmp(head, "\177ELF", 4) != 0);
}

/* "sh PATH ARGUMENT ..." of a script, or the command as it is. */
static char *const *words(const struct command *c)
{
	int n = 0;
	char **shell;

	if (!c->script)
		return c->argv;
	while (c->argv[n])
		n++;
	shell = xcalloc((size_t)n + 2, sizeof(*shell));
	shell[0] = (char *)"sh";
	shell[1] = (char *)c->path;
	for (int i = 1; i < n; i++)
		shell[i + 1] = c->argv[i];
	return shell;
}

/* In the child, from fork to exec. What is called last was called before: its pages are there. */
static void child(struct command *c, int go, int said)
{
	char shell[] = _PATH_BSHELL;		/* in memory, where a query can read it */
	char *const *argv = words(c);
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
	signal(SIGCHLD, SIG_DFL);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);	/* nohup */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	syscall(SYS_kill, getpid(), SIGSTOP);
	syscall(SYS_execve, c->script ? shell : c->path, argv, environ);
	code = errno;
	while (write(said, &code, sizeof(code)) < 0 && errno == EINTR)
		;
	_exit(127);
}

struct command *command_start(char *const *argv, struct err *e)
{
	struct command *c = xcalloc(1, sizeof(*c));
	/* no signal tells that the child stops and goes on: it would be an event of the command */
	const struct sigaction quiet = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP };
	int go[2] = { -1, -1 }, said[2] = { -1, -1 };

	c->argv = argv;
	c->pidfd = c->go = c->said = -1;
	find_program(c);
	c->script = is_script(c->path);
	sigaction(SIGCHLD, &quiet, NULL);
	if (pipe2(go, O_CLOEXEC) || pipe2(said, O_CLOEXEC) || (c->pid = fork()) < 0) {
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
	siginfo_t now = { 0 };

	if (write(c->go, "", 1) == 1)
		while (waitid(P_PID, (id_t)c->pid, &now, WSTOPPED | WEXITED | WNOWAIT) && errno == EINTR)
			;
	return now.si_code == CLD_STOPPED ? 0 :
		err_push(e, -ECHILD, "%s went away before it began", c->argv[0]);
}

int command_release(struct command *c, struct err *e)
{
	int code = 0;
	ssize_t n;

	kill(c->pid, SIGCONT);
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

/* ---- the end ---- */

/* The command and what it started. Of a process that ends, its children become ours: only
 * children are sent signals, as the number of a child is its own until it was waited for. */
struct family {
	struct command *command;
	struct arena arena;
	VEC(pid_t) known;		/* the first n_others are not of it; the rest were asked to end */
	int n_others;
	int left;
	bool insist;
};

/* Calls each for every child of this process, whichever thread started it. */
static void each_child(void (*each)(void *arg, pid_t pid), struct family *family)
{
	DIR *d = opendir("/proc/self/task");
	char path[300];
	pid_t pid;
	FILE *f;

	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/children", e->d_name);
		f = e->d_name[0] != '.' ? fopen(path, "re") : NULL;
		while (f && fscanf(f, "%d", &pid) == 1)
			each(family, pid);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
}

static void is_other(void *arg, pid_t pid)
{
	struct family *f = arg;

	if (pid == f->command->pid)
		return;
	vec_push(&f->arena, &f->known, pid);
	f->n_others = f->known.n;
}

static void end_child(void *arg, pid_t pid)
{
	struct family *f = arg;
	int i = 0, status;

	while (i < f->known.n && f->known.v[i] != pid)
		i++;
	if (i < f->n_others)
		return;
	if (waitpid(pid, &status, WNOHANG) == pid) {
		if (pid == f->command->pid) {
			f->command->ended = true;
			f->command->status = status;
		}
		return;
	}
	f->left++;
	if (f->insist) {
		kill(pid, SIGKILL);
	} else if (i == f->known.n) {
		vec_push(&f->arena, &f->known, pid);
		kill(pid, SIGTERM);
		kill(pid, SIGCONT);
	}
}

static void end_family(struct command *c)
{
	struct family f = { .command = c };
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	each_child(is_other, &f);
	for (int ms = 0; ms < GIVE_UP_MS; ms += STEP_MS) {
		f.left = 0;
		f.insist = ms >= TERM_GRACE_MS;
		if (!c->ended)
			end_child(&f, c->pid);
		each_child(end_child, &f);
		if (!f.left)
			break;
		p.fd = c->ended ? -1 : c->pidfd;
		poll(&p, 1, STEP_MS);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	arena_fini(&f.arena);
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
	if (c->pid > 0 && !command_reap(c, &status))
		end_family(c);
	if (c->pidfd >= 0)
		close(c->pidfd);
	free(c);
}
