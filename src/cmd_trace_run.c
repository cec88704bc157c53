/* Queries and tools over a recorded trace. */
#include <errno.h>
#include <unistd.h>

#include "cmd.h"
#include "replay/beside.h"
#include "replayed.h"
#include "trace.h"

#define PROGRESS_EVENTS 4096

struct reading {
	struct ctf *trace;
	struct recorded *events;
	uint32_t n;
	int n_threads;
	bool shows;			/* its progress: nothing else is on the terminal meanwhile */
	struct trace_progress progress;
};

static const struct record *next_record(void *self)
{
	struct reading *r = self;
	const struct record *next = recorded_next(r->events);

	if (!next)
		trace_progress_end(&r->progress);
	else if (!(r->n++ % PROGRESS_EVENTS) && r->shows)
		trace_progress(r->trace, &r->progress);
	return next;
}

static void show_progress(void *self)
{
	struct reading *r = self;

	if (r->shows)
		trace_progress(r->trace, &r->progress);
}

static int run_beside(void *self, struct replay *replay, struct err *e)
{
	struct reading *r = self;
	const struct beside_wait wait = { r, show_progress };

	return beside_run(replay, r->events, r->n_threads, &wait, e);
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
	struct replay_options options = { .limits = false };
	struct output out = { .names = recorded_names(r->events) };
	struct ctf_options range;
	struct replay *replay;
	bool may;

	if (trace_range(r->trace, &q->options, &range, &q->err))
		return err_print(&q->err, END_WRONG);
	if (output_open(&out, q, view))
		return err_print(&q->err, END_FAILED);
	query_say_nones(q);
	r->shows = q->options.output || !isatty(STDOUT_FILENO) || is_quiet(q->compile.plan);
	may = recorded_begin(r->events, q->compile.image, &range,
			     beside_may(q->compile.plan, q->compile.image));
	r->n_threads = may ? beside_threads(r->trace) : 1;
	if (r->n_threads > 1)
		source.run = run_beside;
	replay = replay_open(&q->err, q->compile.plan, q->compile.image, &options, &source);
	recorded_stacks(r->events, replay);
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

static int compile_and_run(struct query *q, struct reading *r, const struct view_ops *view)
{
	struct catalog catalog = recorded_catalog(r->events);
	const char *why;
	int status;

	q->compile.catalog = &catalog;
	status = check_filters(q);
	if (!status)
		status = query_compile(q, 0);
	if (status)
		return status;
	why = result_misfit(q->compile.plan, view);
	if (why) {
		err_push(&q->err, -1, "--format %s: %s", view->name, why);
		return err_print(&q->err, END_WRONG);
	}
	status = run(q, r, view);
	trace_progress_end(&r->progress);
	for (int i = 0; i < r->trace->n_notes && !q->options.quiet; i++)
		fprintf(stderr, "culprit: %s\n", r->trace->notes[i]);
	trace_say_range(r->trace, &q->options);
	return status;
}

int trace_run(struct query *q, const struct view_ops *view)
{
	struct trace_printer printer = { NULL };
	struct reading r = { .trace = NULL };
	int status;

	if (!q->options.trace) {
		err_push(&q->err, -EINVAL, "--begin and --end work only with a trace: --trace PATH");
		return err_print(&q->err, END_WRONG);
	}
	status = query_target_trace(q);
	if (status)
		return status;
	r.trace = ctf_open(&q->err, q->options.trace);
	if (!r.trace)
		return err_print(&q->err, END_FAILED);
	if (view == &view_text && trace_printer_open(&printer, r.trace, q))
		view = &trace_printer_view;
	r.events = recorded_open(r.trace);
	status = compile_and_run(q, &r, view);
	recorded_close(r.events);
	trace_printer_close(&printer);
	ctf_close(r.trace);
	return status;
}
