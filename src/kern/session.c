/*
 * The live executor's loop: see session.h.
 *
 * One poll with a deadline: the ring buffer's next drain, the end of an interval,
 * a measuring window of --budget, the command's end, the caller's own descriptor.
 * Nothing in the kernel wakes it up for an event.
 */
#define _GNU_SOURCE	/* ppoll */
#include "kern/session_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/stacks.h"
#include "kern/sysbpf.h"

#define CELLS_KEPT_BYTES 65536u
#define FIRST_PERIOD_NS 20000000ull

uint64_t clock_ns(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool session_without(const struct session *s, enum feature_id id)
{
	return s->options.features && s->options.features->off[id];
}

/* ---- open, attach ---- */

#define FILES_MOST (1 << 20)		/* fs.nr_open, unless somebody changed it */

/* Each program, table and CPU's event is a descriptor. */
static void raise_file_limit(void)
{
	struct rlimit l = { FILES_MOST, FILES_MOST };

	/* root may; others up to their hard limit */
	if (setrlimit(RLIMIT_NOFILE, &l) && !getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

/* The join that a part belongs to has the part's intervals. */
static const struct p_query *timing_of(const struct plan *plan, const struct p_query *q)
{
	for (int i = 0; q->is_part && i < plan->queries.n; i++) {
		const struct p_query *join = plan->queries.v[i];

		for (int k = 0; k < join->parts.n; k++)
			if (join->parts.v[k] == q)
				return join;
	}
	return q;
}

static void prepare_reading(struct session *s)
{
	const struct bpf_image *image = s->image;

	s->windows = arena_array(&s->arena, struct window, image->tables.n);
	for (int i = 0; i < image->tables.n; i++) {
		s->windows[i].t = &image->tables.v[i];
		s->windows[i].timing = timing_of(s->plan, image->tables.v[i].query);
	}
	s->rows_of = arena_array(&s->arena, const struct img_rows *, s->plan->queries.n);
	for (int i = 0; i < image->rows.n; i++)
		s->rows_of[image->rows.v[i].query->index] = &image->rows.v[i];
}

static int open_ring(struct session *s, struct err *e)
{
	uint32_t bytes;

	if (s->image->ring < 0)
		return 0;
	bytes = load_ring_bytes(s);
	s->ring = ring_open(s->map_fds[s->image->ring], bytes, e);
	return s->ring ? 0 : -ENOMEM;
}

/* The command's first task; sched_process_fork hands the mark down. */
static int mark_family(struct session *s, struct err *e)
{
	const struct img_map *m;
	uint64_t *mark;
	int fd, code;

	if (s->image->family < 0)
		return 0;
	m = &s->image->maps.v[s->image->family];
	mark = xcalloc(1, m->value_bytes + 8);
	*(uint8_t *)mark = 1;
	fd = command_fd(s->command);
	code = sysbpf_map_update(s->map_fds[s->image->family], &fd, mark);
	free(mark);
	return code ? err_push(e, code, "cannot mark the command: %s", strerror(-code)) : 0;
}

/* Marked, and right before its exec. */
static int ready_command(struct session *s, struct err *e)
{
	int code = command_ready(s->command, e);

	return code ? code : mark_family(s, e);
}

static bool always(const struct session *s)
{
	(void)s;
	return true;
}

static bool prints_rows(const struct session *s)
{
	return s->image->ring >= 0;
}

static bool uses_clock(const struct session *s)
{
	for (int i = 0; i < s->plan->events.n; i++)
		if (s->plan->events.v[i]->attach == ATTACH_SAMPLE ||
		    s->plan->events.v[i]->attach == ATTACH_TIMER)
			return true;
	return false;
}

/* What has no other way: forced off, it is missing. Really missing, the kernel says so. */
static const struct {
	enum feature_id id;
	bool (*needed)(const struct session *s);
} needs[] = {
	{ FEATURE_CAP_BPF, always },
	{ FEATURE_CAP_PERFMON, always },
	{ FEATURE_RINGBUF, prints_rows },
	{ FEATURE_CPU_CLOCK, uses_clock },
};

static int check_needs(const struct session *s, struct err *e)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct feature_row *r = feature_row(needs[i].id);

		if (session_without(s, needs[i].id) && needs[i].needed(s)) {
			e->unable = true;
			return err_push(e, -EOPNOTSUPP, "without %s: %s", r->name, r->without);
		}
	}
	return 0;
}

static int open_parts(struct session *s, struct err *e)
{
	int code = check_needs(s, e);

	if (code)
		return code;
	if (s->options.command) {
		s->command = command_start(s->options.command, e);
		if (!s->command)
			return -ECHILD;
	}
	code = load_maps(s, e);
	if (!code)
		code = load_progs(s, e);
	if (!code)
		code = open_ring(s, e);
	if (!code)
		code = take_open(s, e);
	if (!code && (s->options.cost || s->options.budget_percent > 0)) {
		s->cost = cost_open(s, e);
		code = s->cost ? 0 : -EPERM;
	}
	return code;
}

struct session *session_open(const struct bpf_image *image, const struct plan *plan,
			     const struct session_options *o, struct err *e)
{
	struct session *s = xcalloc(1, sizeof(*s));

	raise_file_limit();
	s->image = image;
	s->plan = plan;
	s->options = *o;
	s->n_cpus = cpus_possible();
	s->wall_offset_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
	s->quiesce_outer = s->quiesce_inner = -1;
	s->map_fds = arena_array(&s->arena, int, image->maps.n);
	for (int i = 0; i < image->maps.n; i++)
		s->map_fds[i] = -1;
	s->prog_fds = arena_array(&s->arena, int, image->progs.n);
	for (int i = 0; i < image->progs.n; i++)
		s->prog_fds[i] = -1;
	prepare_reading(s);
	if (open_parts(s, e)) {
		session_close(s);
		return NULL;
	}
	return s;
}

int session_attach(struct session *s, struct err *e)
{
	int code = attach_all(s, e);

	if (!code && s->command)
		code = ready_command(s, e);
	if (code)
		return code;
	s->attached_ns = clock_ns(CLOCK_MONOTONIC);
	s->drain_ns = s->attached_ns;
	for (int i = 0; i < s->image->tables.n; i++) {
		struct window *w = &s->windows[i];

		w->begin_ns = s->attached_ns;
		if (w->timing->every_ns)
			w->deadline_ns = s->attached_ns + w->timing->every_ns;
	}
	if (s->cost)
		cost_step(s, s->attached_ns);
	return s->command ? command_release(s->command, e) : 0;
}

/* ---- rows ---- */

static void hand_out(void *self, const struct img_record *rec, uint32_t bytes)
{
	struct session *s = self;
	const struct img_rows *r = NULL;
	struct cell *cells;

	if (rec->query < (uint32_t)s->plan->queries.n)
		r = s->rows_of[rec->query];
	if (!r || bytes < r->bytes || !s->options.row)
		return;
	if (s->row_arena.bytes > CELLS_KEPT_BYTES)
		arena_fini(&s->row_arena);
	cells = arena_array(&s->row_arena, struct cell, r->query->n_columns);
	record_cells(&s->row_arena, r, rec, cells);
	s->options.row(s->options.self, r, rec, cells);
}

static int drain(struct session *s, uint64_t now_ns, bool all)
{
	int n;

	if (!s->ring)
		return 0;
	n = ring_drain(s->ring, now_ns, all, hand_out, s);
	s->drain_ns = clock_ns(CLOCK_MONOTONIC) + ring_period_ns(s->ring);
	return n;
}

/* ---- the loop ---- */

/* Have all queries their first N rows? False if one has no such end. */
static bool first_reached(const struct session *s)
{
	bool any = false;

	for (int i = 0; i < s->plan->queries.n; i++) {
		const struct p_query *q = s->plan->queries.v[i];

		if (q->is_part)
			continue;
		if (!q->first_n || !s->globals || s->globals[q->g_first] < q->first_n)
			return false;
		any = true;
	}
	return any;
}

static bool has_first(const struct session *s)
{
	for (int i = 0; i < s->plan->queries.n; i++)
		if (s->plan->queries.v[i]->first_n)
			return true;
	return false;
}

void session_end_intervals(struct session *s)
{
	maps_end_intervals(s, clock_ns(CLOCK_MONOTONIC));
}

/* The last interval ends as all others do: it does not last as long as the detaching. */
static void end_counting(struct session *s)
{
	if (s->stopped_ns)
		return;
	maps_end_intervals(s, UINT64_MAX);
	s->stopped_ns = clock_ns(CLOCK_MONOTONIC);
}

/* What is due now. */
static unsigned work(struct session *s)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	unsigned happened = 0;

	if (s->stopped)
		return 0;
	if (s->ring && now_ns >= s->drain_ns && drain(s, now_ns, false))
		happened |= SESSION_ROWS;
	take_stacks(s, now_ns);
	if (maps_intervals_over(s, now_ns))
		happened |= SESSION_INTERVAL;
	if (s->attached.n && s->cost && cost_step(s, now_ns)) {
		end_counting(s);
		detach_all(s);
		happened |= SESSION_BUDGET;
	}
	if (has_first(s) && first_reached(s))
		happened |= SESSION_FIRST;
	return happened;
}

static void sooner(uint64_t *deadline_ns, uint64_t other_ns)
{
	if (other_ns < *deadline_ns)
		*deadline_ns = other_ns;
}

static uint64_t next_deadline(const struct session *s, uint64_t deadline_ns)
{
	if (s->stopped)
		return deadline_ns;
	if (s->ring)
		sooner(&deadline_ns, s->drain_ns);
	if (s->stacks)
		sooner(&deadline_ns, take_deadline_ns(s));
	for (int i = 0; i < s->image->tables.n; i++)
		if (s->windows[i].deadline_ns)
			sooner(&deadline_ns, s->windows[i].deadline_ns);
	if (s->cost && s->attached.n)
		sooner(&deadline_ns, cost_deadline_ns(s->cost));
	if (has_first(s))
		sooner(&deadline_ns, clock_ns(CLOCK_MONOTONIC) + FIRST_PERIOD_NS);
	return deadline_ns;
}

static unsigned wait_until(struct session *s, uint64_t deadline_ns)
{
	struct pollfd fds[] = {
		{ .fd = s->options.wake_fd, .events = POLLIN },
		{ .fd = s->command && !s->command_ended ? command_fd(s->command) : -1,
		  .events = POLLIN },
		{ .fd = take_fd(s), .events = POLLIN },
		{ .fd = take_notices_fd(s), .events = POLLIN },
	};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	struct timespec t = { (time_t)(left_ns / 1000000000u), (long)(left_ns % 1000000000u) };
	unsigned happened = 0;

	if (ppoll(fds, 4, deadline_ns == UINT64_MAX ? NULL : &t, NULL) <= 0)
		return 0;
	if (fds[3].revents)
		take_notices(s);
	if (fds[2].revents)
		take_processes(s);
	if (fds[0].revents)
		happened |= SESSION_WAKE;
	if (fds[1].revents && command_reap(s->command, &s->command_status)) {
		s->command_ended = true;
		happened |= SESSION_COMMAND;
	}
	return happened;
}

unsigned session_step(struct session *s, int64_t timeout_ns)
{
	uint64_t end_ns = UINT64_MAX;
	unsigned happened;

	if (timeout_ns >= 0)
		end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ns;
	for (;;) {
		happened = work(s);
		if (happened)		/* what else, without waiting */
			return happened | wait_until(s, 0);
		happened = wait_until(s, next_deadline(s, end_ns));
		if (happened || clock_ns(CLOCK_MONOTONIC) >= end_ns)
			return happened | work(s);
	}
}

void session_stop(struct session *s)
{
	if (s->stopped)
		return;
	end_counting(s);
	cost_stop(s);
	detach_all(s);
	s->detached_ns = clock_ns(CLOCK_MONOTONIC);
	maps_quiesce(s);
	take_processes(s);
	take_stacks(s, UINT64_MAX);
	drain(s, s->detached_ns, true);
	s->stopped = true;
}

/* ---- results ---- */

static struct window *window_of(const struct session *s, const struct p_query *q)
{
	for (int i = 0; i < s->image->tables.n; i++)
		if (s->windows[i].t->query == q)
			return &s->windows[i];
	return NULL;
}

bool session_due(const struct session *s, const struct p_query *q)
{
	const struct window *w = window_of(s, q);

	if (w && w->due)
		return true;
	for (int i = 0; i < q->parts.n; i++) {
		w = window_of(s, q->parts.v[i]);
		if (w && w->due)
			return true;
	}
	return false;
}

struct table *session_table(struct session *s, const struct p_query *q, struct arena *a,
			    struct err *e)
{
	struct window *w = window_of(s, q);

	if (!w) {
		err_push(e, -EINVAL, "the query has no table");
		return NULL;
	}
	return maps_read_window(s, w, a, e);
}

int session_begins(struct session *s, int map, void (*each)(void *arg, const void *record),
		   void *arg, struct err *e)
{
	int code = maps_begins(s, map, each, arg);

	return code ? err_push(e, code, "cannot list what is open: %s", strerror(-code)) : 0;
}

uint64_t session_begin_ns(const struct session *s)
{
	return s->attached_ns;
}

uint64_t session_now_ns(const struct session *s)
{
	return s->stopped ? s->detached_ns : clock_ns(CLOCK_MONOTONIC);
}

#define REFUSED_SHOWN 8

static struct loss refused(const struct session *s, struct arena *a)
{
	struct buf names = { 0 };
	struct loss l = { LOSS_REFUSED, "", (uint64_t)s->refused.n, true };

	for (int i = 0; i < s->refused.n && i < REFUSED_SHOWN; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", s->refused.v[i]);
	l.what = arena_printf(a, "functions that the kernel cannot probe: %s%s", names.n ? names.p : "",
			      s->refused.n > REFUSED_SHOWN ? ", ..." : "");
	buf_fini(&names);
	return l;
}

int session_losses(struct session *s, struct arena *a, struct loss **losses)
{
	const struct plan *plan = s->plan;
	struct loss *l = arena_array(a, struct loss, plan->counters.n + 5 + STACKS_LOSSES);
	uint64_t *counts = arena_array(a, uint64_t, plan->counters.n + 1), missed = s->missed;
	int n = 0;

	maps_counters(s, counts);
	for (int i = 0; i < plan->counters.n; i++) {
		const struct p_counter *c = &plan->counters.v[i];
		uint64_t count = counts[i];

		if (!c->always && s->kept_counts)
			count = s->kept_counts[i];
		if (!c->always && s->first_counts)
			count -= s->first_counts[i];
		l[n++] = (struct loss){ c->id, c->what, count, c->always };
	}
	for (int i = 0; i < s->image->progs.n; i++) {
		struct bpf_prog_info info;

		if (s->prog_fds[i] >= 0 && !sysbpf_prog_info(s->prog_fds[i], &info))
			missed += info.recursion_misses;
	}
	l[n++] = (struct loss){ LOSS_MISSED, "events during which the same program already ran there",
				missed, true };
	l[n++] = (struct loss){ LOSS_LATE, "rows that came too late for their place in time",
				s->ring ? ring_late(s->ring) : 0, true };
	if (s->unwind)
		l[n++] = (struct loss){ LOSS_NO_TABLE, "mappings of code that found no room in the "
					"tables of callers: frame pointers are followed there",
					unwind_size(s->unwind).dropped, true };
	if (plan->user_names)
		l[n++] = (struct loss){ LOSS_NOTICES_LOST, "forks, new programs and mappings that "
					"came faster than they were read: names and callers may be "
					"missing", take_lost(s), true };
	if (s->refused.n)
		l[n++] = refused(s, a);
	if (s->stacks)
		n += stacks_losses(s->stacks, l + n);
	*losses = l;
	return n;
}

void session_cost(struct session *s, struct buf *out)
{
	cost_print(s, out);
}

double session_budget_used(const struct session *s)
{
	return s->budget_used;
}

struct stacks *session_stacks(const struct session *s)
{
	return s->stacks;
}

int session_command_status(const struct session *s)
{
	return s->command_status;
}

int64_t session_wall_offset_ns(const struct session *s)
{
	return s->wall_offset_ns;
}

static void close_fds(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	detach_all(s);
	command_close(s->command);
	cost_close(s->cost);
	ring_close(s->ring);
	take_close(s);
	if (s->globals)
		munmap((void *)s->globals, s->globals_bytes);
	close_fds(s->prog_fds, s->image->progs.n);
	close_fds(s->map_fds, s->image->maps.n);
	close_fds(&s->quiesce_outer, 1);
	close_fds(&s->quiesce_inner, 1);
	arena_fini(&s->row_arena);
	arena_fini(&s->arena);
	free(s);
}
