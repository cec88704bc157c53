/* See recorded.h. Streams are read side by side where the order of events is nothing to the queries. */
#include "session/recorded.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "replay/parallel.h"
#include "replay/replay.h"
#include "replay/wants.h"

#define LOOK_EVENTS 4096

struct reading {
	struct recorded_target *of;
	struct replay *replay;
	struct record_source source;
	struct recorded_wants *wants;
	int stop_fd;
	uint32_t n;
};

/* Is it to end? */
static bool look_up(void *self)
{
	struct recorded_target *t = ((struct reading *)self)->of;
	struct pollfd stop = { .fd = ((struct reading *)self)->stop_fd, .events = POLLIN };

	if (t->look)
		t->look(t->self, false);
	t->stopped = t->stopped || poll(&stop, 1, 0) > 0;
	return t->stopped;
}

static const struct record *next_record(void *self)
{
	struct reading *r = self;
	const struct record *next = NULL;

	if (!(r->n % LOOK_EVENTS))
		look_up(r);
	/* the first tells the time; behind threads there are only such ones */
	if (!r->n++ || !r->of->stopped || r->of->n_threads > 1)
		next = recorded_next(r->of->events);
	if (next)
		r->of->last_ns = next->time_ns;
	else if (r->of->look)
		r->of->look(r->of->self, true);
	return next;
}

static int run_parallel(void *self, struct replay *replay, struct err *e)
{
	struct reading *r = self;
	const struct replay_parallel_wait wait = { r, look_up };

	return replay_parallel_run(replay, r->of->events, r->of->n_threads, &wait, e);
}

static int prepare(struct target *t, struct spec *spec, struct err *e)
{
	(void)t, (void)e;
	spec->options.has.replay = true;
	return 0;
}

static void unload(struct loaded *l)
{
	struct reading *r = l->self;

	replay_close(r->replay);
	free(r);
	*l = (struct loaded){ NULL };
}

static int load(struct target *target, const struct spec *spec, struct compile *c, struct loaded *to,
		struct err *e)
{
	struct recorded_target *t = (struct recorded_target *)target;
	struct reading *r = xcalloc(1, sizeof(*r));
	/* as many as there are, unless the user says how many */
	struct replay_options options = { .rows_limit = spec->options.table_rows,
					  .open_limit = spec->options.max_open };
	bool may;

	*r = (struct reading){ .of = t, .stop_fd = spec->stop_fd, .source = { r, NULL, next_record },
			       .wants = replay_wants(c->arena, c->image) };
	t->stopped = false;
	/* which rows come first, while there is room, depends on the order */
	r->wants->any_order = !spec->options.table_rows && replay_parallel_may(c->plan, c->image);
	may = recorded_begin(t->events, r->wants, &spec->range);
	t->n_threads = may ? replay_parallel_threads(t->trace) : 1;
	if (t->n_threads > 1)
		r->source.run = run_parallel;
	r->replay = replay_open(e, c->plan, c->image, &options, &r->source);
	recorded_stacks(t->events, replay_show_stack, r->replay);
	*to = (struct loaded){ .self = r, .names = recorded_names(t->events) };
	if (!r->replay) {
		unload(to);
		return -EINVAL;
	}
	to->executor = replay_executor(r->replay);
	return 0;
}

static const struct target_ops ops = { .prepare = prepare, .load = load, .unload = unload };

int recorded_target_open(struct recorded_target *t, const char *path, struct err *e)
{
	*t = (struct recorded_target){ .target = { .ops = &ops } };
	t->trace = ctf_open(e, path);
	if (!t->trace)
		return -EINVAL;
	t->events = recorded_open(t->trace);
	t->catalog = recorded_catalog(t->events);
	t->target.catalog = &t->catalog;
	return 0;
}

void recorded_target_close(struct recorded_target *t)
{
	recorded_close(t->events);
	ctf_close(t->trace);
}
