/*
 * The slow program of `culprit demo`. Each of its rounds looks for a file that is not
 * there in three places, waits for a lock that does not come, computes, and starts a
 * helper.
 */
#include "cli/demo.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define ROUNDS 20
#define WAIT_NS 20000000
#define BURN_LOOPS 6000000	/* about 10 ms */
#define BURN_NS 10000000
#define ENTRIES_A_ROUND 10

extern char **environ;

static const char *const places[] = {
	"/etc/shop/prices.conf", "/usr/local/etc/shop/prices.conf", "/opt/shop/prices.conf",
};
#define PLACES (int)(sizeof(places) / sizeof(places[0]))

static void look_for_prices(void)
{
	for (int i = 0; i < ENTRIES_A_ROUND * PLACES; i++) {
		int fd = open(places[i % PLACES], O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			close(fd);
	}
}

static void wait_for_lock(void)
{
	struct timespec t = { 0, WAIT_NS };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* No clock: asking it would be a system call more. */
static void compute(void)
{
	for (volatile int i = 0; i < BURN_LOOPS; i++)
		;
}

static void start_helper(const char *self)
{
	char *argv[] = { "slow-helper", DEMO_ARGUMENT, "helper", NULL };
	pid_t pid;

	if (!posix_spawn(&pid, self, NULL, NULL, argv, environ))
		waitpid(pid, NULL, 0);
}

int demo_work(const char *self, const char *part)
{
	if (!part || strcmp(part, "shop"))
		return 0;		/* the helper */
	prctl(PR_SET_NAME, "slow-shop");
	for (int i = 0; i < ROUNDS; i++) {
		look_for_prices();
		wait_for_lock();
		compute();
		start_helper(self);
	}
	return 0;
}

/* ---- the same, made ---- */

#define THREAD "tid=4711 pid=4711 ppid=4000 comm=slow-shop "

static void made_call(struct buf *out, long long *ns, const char *enter, const char *leave,
		      long long takes_ns)
{
	buf_printf(out, "%lld.%09lld " THREAD "syscall:%s\n", *ns / NS_PER_S,
		   *ns % NS_PER_S, enter);
	*ns += takes_ns;
	buf_printf(out, "%lld.%09lld " THREAD "syscall:%s\n", *ns / NS_PER_S,
		   *ns % NS_PER_S, leave);
	*ns += 500;
}

void demo_made(struct buf *out)
{
	long long ns = NS_PER_S;

	buf_puts(out, "syscall openat dfd:s32 filename:cstr flags:s32 mode:u32\n"
		 "syscall clock_nanosleep which_clock:s32 flags:s32\n"
		 "syscall wait4 upid:pid\n");
	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < ENTRIES_A_ROUND * PLACES; k++) {
			struct buf enter = { 0 };

			buf_printf(&enter, "openat.enter dfd=-100 filename=\"%s\" flags=524288 mode=0",
				   places[k % PLACES]);
			made_call(out, &ns, enter.p, "openat.return ret=-2", 1800);
			buf_fini(&enter);
		}
		made_call(out, &ns, "clock_nanosleep.enter which_clock=0 flags=0",
			  "clock_nanosleep.return ret=0", WAIT_NS + 70000);
		ns += BURN_NS;
		made_call(out, &ns, "wait4.enter upid=4712", "wait4.return ret=4712", 900000);
	}
}
