/* A compiled query over records. See replayed.h. */
#include "replayed.h"

#define FLUSH_ROWS 1024			/* a pipe's reader sees them so often */

struct replayed {
	struct output *out;
	int rows;
};

static void show_row(void *self, const struct img_rows *rows, const struct img_record *rec)
{
	struct replayed *r = self;
	struct arena a = { 0 };
	struct cell *cells = arena_array(&a, struct cell, rows->query->n_columns);

	if (!r->out->error) {
		record_cells(&a, rows, rec, cells);
		result_row(&r->out->result, rows->query, rec->time_ns, cells);
	}
	if (++r->rows % FLUSH_ROWS == 0)
		output_flush(r->out);
	arena_fini(&a);
}

static void show_tables(void *self, const struct p_query *q, struct table *const *t, int n,
			const struct replay_window *w)
{
	struct replayed *r = self;

	if (r->out->error)
		return;
	result_tables(&r->out->result, w->arena, q, t, n);
	output_flush(r->out);
}

static void show_losses(struct query *q, const struct replay *r, struct output *out)
{
	const struct plan *plan = q->compile.plan;
	struct arena a = { 0 };
	struct loss *losses = arena_array(&a, struct loss, plan->counters.n + 1);
	int n = plan->counters.n;

	for (int i = 0; i < n; i++) {
		const struct p_counter *c = &plan->counters.v[i];

		losses[i] = (struct loss){ c->id, c->what, replay_counter(r, i), c->always };
	}
	losses[n++] = (struct loss){ LOSS_LOST, "events that were lost while the trace was recorded",
				     replay_lost(r), true };
	output_losses(out, losses, n, q->options.verbose);
	arena_fini(&a);
}

int replayed_run(struct query *q, const struct replay_options *options,
		 const struct record_source *source, struct output *out)
{
	struct replayed self = { .out = out };
	struct replay_sink sink = { &self, show_row, show_tables };
	struct replay *r = replay_open(&q->err, q->compile.plan, q->compile.image, options, &sink);
	const struct record *rec;
	int code = 0, status;

	if (!r) {
		output_close(out);
		return err_print(&q->err, END_FAILED);
	}
	if (source->run)
		code = source->run(source->self, r, &q->err);
	while (!code && !out->error && (rec = source->next(source->self)))
		code = replay_event(r, rec, &q->err);
	replay_finish(r);
	output_flush(out);
	show_losses(q, r, out);
	replay_close(r);
	status = output_close(out);
	return code < 0 ? err_print(&q->err, END_FAILED) : status;
}
