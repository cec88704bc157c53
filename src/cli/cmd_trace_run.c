/* Queries and tools over a recorded trace. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "base/clock.h"
#include "replay/parallel.h"
#include "replay/wants.h"
#include "cli/replayed.h"
#include "cli/trace.h"

#define PROGRESS_EVENTS 4096
struct reading {
	struct trace_target target;
	uint32_t n;
	int n_threads;
	int stop_fd;
	bool stopped;			/* by Ctrl-C, SIGTERM or SIGHUP: what was read is shown */
	uint64_t last_ns;		/* of the last record */
	bool shows;			/* its progress: nothing else is on the terminal meanwhile */
	struct trace_progress progress;
};

/* Now and then: shows how far it is. Is it to end? */
static bool look_up(void *self)
{
	struct reading *r = self;
	struct pollfd stop = { .fd = r->stop_fd, .events = POLLIN };

	if (r->shows)
		trace_progress(r->target.trace, &r->progress);
	r->stopped = r->stopped || poll(&stop, 1, 0) > 0;
	return r->stopped;
}

static const struct record *next_record(void *self)
{
	struct reading *r = self;
	const struct record *next = NULL;

	if (!(r->n % PROGRESS_EVENTS))
		look_up(r);
	/* the first tells the time; behind threads there are only such ones */
	if (!r->n++ || !r->stopped || r->n_threads > 1)
		next = recorded_next(r->target.events);
	if (next)
		r->last_ns = next->time_ns;
	else
		trace_progress_end(&r->progress);
	return next;
}

/* Is the result only of a part of the trace? */
static bool say_stopped(const struct reading *r)
{
	const struct ctf *t = r->target.trace;

	if (!r->stopped || t->bytes_done >= t->bytes)
		return false;
	if (r->n_threads > 1)
		fprintf(stderr, "culprit: it was stopped when %" PRIu64 "%% of the trace were "
			"read\n", t->bytes_done * 100 / t->bytes);
	else
		fprintf(stderr, "culprit: it was stopped at %" PRIu64 ".%09" PRIu64 " of the trace: "
			"later events are missing\n", r->last_ns / NS_PER_S, r->last_ns % NS_PER_S);
	return true;
}

static int run_parallel(void *self, struct replay *replay, struct err *e)
{
	struct reading *r = self;
	const struct replay_parallel_wait wait = { r, look_up };

	return replay_parallel_run(replay, r->target.events, r->n_threads, &wait, e);
}

/* Does all that is shown come at the end? */
static bool is_quiet(const struct plan *plan)
{
	for (int i = 0; i < plan->queries.n; i++)
		if (plan->queries.v[i]->sink != SINK_AGGS || plan->queries.v[i]->every_ns)
			return false;
	return true;
}

static int run(struct query *q, struct reading *r, const struct view_ops *view)
{
	struct record_source source = { r, NULL, next_record };
	/* as many as there are, unless the user says how many */
	struct replay_options options = { .rows_limit = q->options.table_rows,
					  .open_limit = q->options.max_open };
	struct output out = { .names = recorded_names(r->target.events), .stop_fd = r->stop_fd };
	struct recorded_wants *wants;
	struct ctf_options range;
	struct replay *replay;
	bool may;

	if (trace_range(r->target.trace, &q->options, &range, &q->err))
		return err_print(&q->err, END_WRONG);
	if (output_open(&out, q, view))
		return err_print(&q->err, END_FAILED);
	query_say_nones(q);
	r->shows = q->options.output || !isatty(STDOUT_FILENO) || is_quiet(q->compile.plan);
	/* which rows come first, while there is room, depends on the order */
	wants = replay_wants(&q->arena, q->compile.image);
	wants->any_order = !q->options.table_rows && replay_parallel_may(q->compile.plan, q->compile.image);
	may = recorded_begin(r->target.events, wants, &range);
	r->n_threads = may ? replay_parallel_threads(r->target.trace) : 1;
	if (r->n_threads > 1)
		source.run = run_parallel;
	replay = replay_open(&q->err, q->compile.plan, q->compile.image, &options, &source);
	recorded_stacks(r->target.events, replay_show_stack, replay);
	return replayed_run(q, replay, &out);
}

/* Options that select by what the trace does not tell. */
static int check_filters(struct query *q)
{
	const struct options *o = &q->options;
	const struct catalog *c = q->compile.catalog;
	const struct {
		bool given;
		const char *option, *field;
	} filters[] = {
		{ o->pids.n, "-p", "pid" }, { o->tids.n, "-t", "tid" }, { o->comm, "--comm", "comm" },
		{ o->user, "--uid", "uid" },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		const struct cat_field *f = c->ops->common(c->self, str_of(filters[i].field));

		if (filters[i].given && f->unable) {
			err_push(&q->err, -EINVAL, "%s does not work: %s is %s", filters[i].option,
				 f->name, f->unable);
			return err_print(&q->err, END_UNABLE);
		}
	}
	return END_DONE;
}

/* What there is to say of the trace behind its results. */
static int say_rest(const struct query *q, struct reading *r, int status)
{
	trace_progress_end(&r->progress);
	trace_say_notes(r->target.trace, &q->options);
	trace_say_range(r->target.trace, &q->options);
	return say_stopped(r) ? END_FAILED : status;
}

static int compile_and_run(struct query *q, struct reading *r, const struct view_ops *view)
{
	int status = query_compile(q, 0);
	const char *why;

	if (status) {
		/* the event may be among what could not be read */
		trace_say_notes(r->target.trace, &q->options);
		return status;
	}
	why = result_misfit(q->compile.plan, view);
	if (why) {
		err_push(&q->err, -1, "--format %s: %s", view->name, why);
		return err_print(&q->err, END_WRONG);
	}
	return say_rest(q, r, run(q, r, view));
}

int trace_target_open(struct trace_target *t, struct query *q)
{
	int status;

	*t = (struct trace_target){ NULL };
	if (!q->options.trace) {
		err_push(&q->err, -EINVAL, "--begin and --end work only with a trace: --trace PATH");
		return err_print(&q->err, END_WRONG);
	}
	status = query_target_trace(q);
	if (status)
		return status;
	t->trace = ctf_open(&q->err, q->options.trace);
	if (!t->trace)
		return err_print(&q->err, END_FAILED);
	t->events = recorded_open(t->trace);
	t->catalog = recorded_catalog(t->events);
	q->compile.catalog = &t->catalog;
	return check_filters(q);
}

void trace_target_close(struct trace_target *t)
{
	recorded_close(t->events);
	ctf_close(t->trace);
}

int trace_run(struct query *q, const struct view_ops *view)
{
	struct trace_printer printer = { NULL };
	struct reading r = { .stop_fd = stop_open() };
	int status = trace_target_open(&r.target, q);
	const struct view_ops *own = status ? NULL :
				     trace_printer_open(&printer, r.target.trace, q, view);

	if (!status)
		status = own && !r.target.trace->n_classes ?
			say_rest(q, &r, END_DONE) : compile_and_run(q, &r, own ? own : view);
	trace_printer_close(&printer);
	trace_target_close(&r.target);
	return status;
}
