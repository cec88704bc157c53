/* The streams of a trace side by side. See parallel.h. */
#include "replay/parallel.h"
#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MOST 16
#define THREAD_BYTES (1 << 19)		/* of less a thread is not worth its start */
#define WAIT_NS 100000000
#define STACK_BYTES (1 << 20)

/* ---- which queries ---- */

static bool has_periods(const struct plan *plan, const struct bpf_image *image)
{
	(void)image;
	return plan->periods.n;
}

static bool has_rows(const struct plan *plan, const struct bpf_image *image)
{
	(void)image;
	for (int i = 0; i < plan->queries.n; i++)
		if (plan->queries.v[i]->sink != SINK_AGGS || plan->queries.v[i]->open)
			return true;
	return false;
}

static bool counts_time(const struct plan *plan, const struct bpf_image *image)
{
	(void)image;
	for (int i = 0; i < plan->queries.n; i++)
		if (plan->queries.v[i]->every_ns)
			return true;
	for (int i = 0; i < plan->events.n; i++)
		if (plan->events.v[i]->attach == ATTACH_TIMER)
			return true;
	return false;
}

static bool counts_rows(const struct plan *plan, const struct bpf_image *image)
{
	(void)image;
	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];

		if (q->first_n)
			return true;
		for (int k = 0; k < q->branches.n; k++)
			for (int s = 0; s < q->branches.v[k]->steps.n; s++)
				if (q->branches.v[k]->steps.v[s].kind == STEP_SAMPLE)
					return true;
	}
	return false;
}

static bool merges_by_order(const struct plan *plan, const struct bpf_image *image)
{
	(void)image;
	for (int i = 0; i < plan->queries.n; i++)
		for (int k = 0; k < plan->queries.v[i]->n_aggs; k++)
			if (plan->queries.v[i]->aggs[k].ops->by_order)
				return true;
	return false;
}

static bool is_of_table(const struct bpf_image *image, int map)
{
	for (int i = 0; i < image->tables.n; i++) {
		const struct img_table *t = &image->tables.v[i];

		if (t->rows[0] == map)
			return true;
		for (int s = 0; s < t->n_sets; s++)
			if (t->sets[s].maps[0] == map)
				return true;
	}
	return false;
}

/* Tables that are not of results: begins, stacks, tasks. Arrays are scratch. */
static bool keeps_more(const struct plan *plan, const struct bpf_image *image)
{
	(void)plan;
	for (int i = 0; i < image->maps.n; i++) {
		uint32_t type = image->maps.v[i].type;

		if (type != BPF_MAP_TYPE_ARRAY && type != BPF_MAP_TYPE_PERCPU_ARRAY &&
		    !is_of_table(image, i))
			return true;
	}
	return false;
}

/* What makes the order of events matter. */
static bool (*const needs_order[])(const struct plan *plan, const struct bpf_image *image) = {
	has_periods,		/* an end's begin came before it */
	has_rows,		/* shown as they come; of `worst` the first of equal ones */
	counts_time,		/* up to an interval's end, for a timer's next row */
	counts_rows,		/* the first N, each Nth */
	merges_by_order,	/* last: of equal times the row that came later */
	keeps_more,
};

bool replay_parallel_may(const struct plan *plan, const struct bpf_image *image)
{
	for (size_t i = 0; i < sizeof(needs_order) / sizeof(*needs_order); i++)
		if (needs_order[i](plan, image))
			return false;
	return true;
}

int replay_parallel_threads(const struct ctf *t)
{
	cpu_set_t cpus;
	uint64_t worth = t->bytes / THREAD_BYTES;
	int n = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	n = n < THREADS_MOST ? n : THREADS_MOST;
	n = n < t->n_streams ? n : t->n_streams;
	return worth < (uint64_t)n ? (int)worth : n;
}

/* ---- threads ---- */

struct side {
	pthread_t thread;
	struct recorded *events;
	const struct replay *of;
	const bool *stops;		/* set by the thread that waits */
	struct replay *replay;		/* made by the thread, in memory of its own; NULL: not */
	struct arena arena;
	struct err err;
	int code;
};

static void *side_run(void *self)
{
	struct side *s = self;
	const struct record *rec;
	int code;

	s->replay = replay_another(&s->err, s->of);
	code = s->replay ? 0 : -EINVAL;
	while (!code && !__atomic_load_n(s->stops, __ATOMIC_RELAXED) &&
	       (rec = recorded_next(s->events)))
		code = replay_event(s->replay, rec, &s->err);
	s->code = code;
	return NULL;
}

static void join(pthread_t thread, const struct replay_parallel_wait *wait, bool *stops)
{
	struct timespec until;

	do {
		if (wait && wait->wait(wait->self))
			__atomic_store_n(stops, true, __ATOMIC_RELAXED);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAIT_NS;
		until.tv_sec += until.tv_nsec / NS_PER_S;
		until.tv_nsec %= NS_PER_S;
	} while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

/* What one has found goes into r; the first fault is told. */
static void side_end(struct side *s, struct replay *r, int *code, struct err *e)
{
	if (s->code < 0 && !*code) {
		*code = s->code;
		for (int i = 0; i < s->err.causes.n; i++)
			err_push(e, s->code, "%s", s->err.causes.v[i]);
	}
	if (s->replay)
		replay_merge(r, s->replay);
	replay_close(s->replay);
	arena_fini(&s->arena);
}

int replay_parallel_run(struct replay *r, struct recorded *events, int n,
			const struct replay_parallel_wait *wait, struct err *e)
{
	struct side *sides = xcalloc((size_t)n, sizeof(*sides));
	struct recorded **shares = xcalloc((size_t)n, sizeof(struct recorded *));
	int started = 0, code = 0, error = 0;
	bool stops = false;
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (int i = 0; i < n; i++)	/* all before one of them takes a stream */
		shares[i] = recorded_share(events);
	while (started < n && !error) {
		struct side *s = &sides[started];

		*s = (struct side){ .events = shares[started], .of = r, .stops = &stops };
		s->err.arena = &s->arena;
		error = pthread_create(&s->thread, &attr, side_run, s);
		started += !error;
	}
	pthread_attr_destroy(&attr);
	if (!started)			/* fewer than n read all, too */
		code = err_push(e, -error, "cannot start a thread");
	for (int i = 0; i < started; i++)
		join(sides[i].thread, wait, &stops);
	for (int i = 0; i < started; i++)
		side_end(&sides[i], r, &code, e);
	recorded_unshare(events, shares, n);
	for (int i = 0; i < n; i++)
		recorded_close(shares[i]);
	free(shares);
	free(sides);
	return code;
}
