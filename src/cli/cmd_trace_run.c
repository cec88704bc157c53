/* Queries and tools over a recorded trace. */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cmd.h"
#include "cli/output.h"
#include "cli/trace.h"

struct reading {
	struct recorded_target target;
	bool shows;			/* its progress: nothing else is on the terminal meanwhile */
	struct trace_progress progress;
};

/* Now and then: shows how far it is. */
static void look(void *self, bool at_end)
{
	struct reading *r = self;

	if (at_end)
		trace_progress_end(&r->progress);
	else if (r->shows)
		trace_progress(r->target.trace, &r->progress);
}

/* Is the result only of a part of the trace? */
static bool say_stopped(const struct reading *r)
{
	const struct ctf *t = r->target.trace;

	if (!r->target.stopped || t->bytes_done >= t->bytes)
		return false;
	if (r->target.n_threads > 1)
		fprintf(stderr, "culprit: it was stopped when %" PRIu64 "%% of the trace were "
			"read\n", t->bytes_done * 100 / t->bytes);
	else
		fprintf(stderr, "culprit: it was stopped at %" PRIu64 ".%09" PRIu64 " of the trace: "
			"later events are missing\n", r->target.last_ns / NS_PER_S, r->target.last_ns % NS_PER_S);
	return true;
}

/* Does all that is shown come at the end? */
static bool is_quiet(const struct plan *plan)
{
	for (int i = 0; i < plan->queries.n; i++)
		if (plan->queries.v[i]->sink != SINK_AGGS || plan->queries.v[i]->every_ns)
			return false;
	return true;
}

static int run(struct query *q, struct reading *r, const struct view_ops *view, void *self)
{
	struct output out = { .q = q, .view = view, .view_self = self };
	int code;

	if (trace_range(r->target.trace, &q->options, &q->spec.range, &q->err))
		return err_print(&q->err, END_WRONG);
	if (output_open(&out))
		return err_print(&q->err, END_FAILED);
	query_say_nones(q);
	r->shows = q->options.output || !isatty(STDOUT_FILENO) || is_quiet(q->session.compile.plan);
	code = session_load(&q->session);
	return output_follow(&out, code);
}

/* What there is to say of the trace behind its results. */
static int say_rest(const struct query *q, struct reading *r, int status)
{
	trace_progress_end(&r->progress);
	trace_say_notes(r->target.trace, &q->options);
	trace_say_range(r->target.trace, &q->options);
	return say_stopped(r) ? END_FAILED : status;
}

static int compile_and_run(struct query *q, struct reading *r, const struct view_ops *view, void *self)
{
	int status = query_compile(q, 0);
	const char *why;

	if (status) {
		/* the event may be among what could not be read */
		trace_say_notes(r->target.trace, &q->options);
		return status;
	}
	why = output_misfit(q->session.compile.plan, view);
	if (why) {
		err_push(&q->err, -1, "--format %s: %s", view->name, why);
		return err_print(&q->err, END_WRONG);
	}
	return say_rest(q, r, run(q, r, view, self));
}

int trace_run(struct query *q, const struct view_ops *view)
{
	struct trace_printer printer = { NULL };
	struct reading r = { .shows = false };
	const struct view_ops *own;
	int status;

	q->spec.stop_fd = stop_open();
	status = query_target_trace(q, &r.target);
	r.target.look = look;
	r.target.self = &r;
	own = status ? NULL : trace_printer_open(&printer, r.target.trace, q, view);
	if (!status)
		status = own && !r.target.trace->n_classes ? say_rest(q, &r, END_DONE) :
			 compile_and_run(q, &r, own ? own : view, own ? &printer : NULL);
	trace_printer_close(&printer);
	session_fini(&q->session);
	recorded_target_close(&r.target);
	return status;
}
