/* Ends of what -p and -t name: see targets.h. A descriptor of a process tells when its last thread ended. */
#include "kern/live/targets.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "plan/plan.h"

#define PIDFD_OF_THREAD O_EXCL		/* 6.9 */

struct targets {
	int epoll;
	int left[2];			/* processes, threads */
	int n;
	struct one {
		int fd;
		bool is_thread;
	} v[];
};

/* All of them or none: of one that is not watched nobody knows whether it is gone. */
static bool watch(struct targets *m, const int64_t *numbers, int n, bool is_thread)
{
	for (int i = 0; i < n; i++) {
		struct one *one = &m->v[m->n];
		struct epoll_event ev = { .events = EPOLLIN, .data.ptr = one };

		one->is_thread = is_thread;
		one->fd = (int)syscall(SYS_pidfd_open, (pid_t)numbers[i], is_thread ? PIDFD_OF_THREAD : 0);
		if (one->fd < 0)
			return false;
		m->n++;
		if (epoll_ctl(m->epoll, EPOLL_CTL_ADD, one->fd, &ev))
			return false;
	}
	m->left[is_thread] = n;
	return true;
}

struct targets *targets_open(const struct plan_options *o)
{
	struct targets *m;

	if ((!o->n_pids && !o->n_tids) || o->children)
		return NULL;
	m = xcalloc(1, sizeof(*m) + (size_t)(o->n_pids + o->n_tids) * sizeof(m->v[0]));
	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll >= 0 && watch(m, o->pids, o->n_pids, false) && watch(m, o->tids, o->n_tids, true))
		return m;
	targets_close(m);
	return NULL;
}

void targets_close(struct targets *m)
{
	if (!m)
		return;
	for (int i = 0; i < m->n; i++)
		close(m->v[i].fd);
	if (m->epoll >= 0)
		close(m->epoll);
	free(m);
}

int targets_fd(const struct targets *m)
{
	return m ? m->epoll : -1;
}

bool targets_gone(struct targets *m)
{
	struct epoll_event ev;

	while (epoll_wait(m->epoll, &ev, 1, 0) == 1) {
		const struct one *one = ev.data.ptr;

		epoll_ctl(m->epoll, EPOLL_CTL_DEL, one->fd, NULL);
		if (!--m->left[one->is_thread])
			return true;
	}
	return false;
}
