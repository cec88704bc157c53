/* From a spec to a sink. See session.h. */
#include "session/session.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

void session_init(struct session *s, struct spec *spec, struct target *target, struct err *e)
{
	*s = (struct session){ .err = e, .spec = spec, .target = target, .epoll_fd = -1, .timer_fd = -1 };
}

static void close_fds(struct session *s)
{
	if (s->timer_fd >= 0)
		close(s->timer_fd);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
	s->epoll_fd = s->timer_fd = -1;
}

void session_fini(struct session *s)
{
	if (s->result.plan)
		result_close(&s->result);
	run_close(s->run);
	if (s->loaded.executor)
		s->target->ops->unload(&s->loaded);
	close_fds(s);
	arena_fini(&s->arena);
	session_init(s, s->spec, s->target, s->err);
}

int session_compile(struct session *s, char stop_after)
{
	const struct target *t = s->target;
	int code;

	s->compile.arena = &s->arena;
	s->compile.text = s->spec->text;
	s->compile.params = s->spec->params;
	s->compile.n_params = s->spec->n_params;
	s->compile.options = s->spec->options;
	s->compile.catalog = t->catalog;
	code = compile_run(&s->compile, stop_after);
	if (t->ops->settle)
		t->ops->settle(s->target);
	return code;
}

/* ---- what is found ---- */

static void take_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct session *s = self;

	if (!s->sink_error)
		result_row(&s->result, q, time_ns, cells);
}

static void take_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *tables,
			int n)
{
	struct session *s = self;

	if (!s->sink_error)
		result_tables(&s->result, a, q, tables, n);
}

static bool flush(void *self)
{
	struct session *s = self;

	if (!s->sink_error)
		s->sink_error = result_flush(&s->result);
	return !s->sink_error;
}

/* ---- the run ---- */

int session_load(struct session *s)
{
	struct run_options o = {
		.plan = s->compile.plan, .image = s->compile.image, .names = &s->loaded.names,
		.duration_ns = s->spec->duration_ns, .intervals = s->spec->intervals,
		.self = s, .row = take_row, .tables = take_tables, .flush = flush,
	};
	int code = s->target->ops->load(s->target, s->spec, &s->compile, &s->loaded, s->err);

	if (code)
		return code;
	s->run = run_open(s->loaded.executor, &o, s->err);
	return s->run ? 0 : -EINVAL;
}

int session_begin(struct session *s, const struct sink_ops *ops, struct sink *sink)
{
	int code = run_begin(s->run);

	if (code)
		return code;
	result_open(&s->result, s->compile.plan, ops, sink, &s->loaded.names);
	s->result.meminfo = s->loaded.meminfo;
	return 0;
}

int session_follow(struct session *s, unsigned *happened)
{
	return run_follow(s->run, happened);
}

int session_end(struct session *s)
{
	int code = run_end(s->run);

	if (!s->sink_error)
		result_rest(&s->result);
	flush(s);
	s->n_losses = session_losses(s, &s->arena, &s->losses);
	if (!s->sink_error)
		result_losses(&s->result, s->losses, s->n_losses);
	return code;
}

int session_snapshot(struct session *s)
{
	return run_snapshot(s->run);
}

int session_losses(struct session *s, struct arena *a, struct loss **losses)
{
	return run_losses(s->run, a, losses);
}

/* ---- in a loop that others share ---- */

static int add_fd(struct session *s, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &e) && errno != EEXIST ? -errno : 0;
}

/* A descriptor that was closed is out of it by itself. */
static int watch(struct session *s)
{
	struct pollfd fds[EXECUTOR_FDS_MOST];
	struct itimerspec t = { 0 };
	uint64_t left_ns;
	int n = run_wait(s->run, fds, &left_ns), code = 0;

	for (int i = 0; i < n && !code; i++)
		if (fds[i].fd >= 0)
			code = add_fd(s, fds[i].fd);
	if (left_ns != UINT64_MAX) {
		t.it_value.tv_sec = (time_t)(left_ns / 1000000000u);
		t.it_value.tv_nsec = (long)(left_ns % 1000000000u) + !left_ns;	/* zero would never come */
	}
	return code || !timerfd_settime(s->timer_fd, 0, &t, NULL) ? code : -errno;
}

int session_fd(struct session *s)
{
	int code;

	if (s->epoll_fd >= 0)
		return s->epoll_fd;
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	code = s->epoll_fd < 0 || s->timer_fd < 0 ? -errno : add_fd(s, s->timer_fd);
	if (!code)
		code = watch(s);
	if (!code)
		return s->epoll_fd;
	close_fds(s);
	err_push(s->err, code, "cannot wait for what a session does: %s", strerror(-code));
	return -1;
}

int session_step(struct session *s, unsigned *happened)
{
	int code = run_step(s->run, happened);

	if (!code && s->epoll_fd >= 0) {
		code = watch(s);
		if (code)
			err_push(s->err, code, "cannot wait for what a session does: %s", strerror(-code));
	}
	return code;
}
