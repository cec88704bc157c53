/* Rows and tables on their way to the view. See result.h. */
#include "result.h"

#include <stdlib.h>
#include <string.h>

void result_open(struct result *r, const struct plan *plan, const struct view_ops *ops,
		 const struct view_options *o)
{
	*r = (struct result){ .plan = plan, .ops = ops };
	r->view = ops->open(o);
	r->queries = arena_array(&r->arena, struct view_query, plan->queries.n);
	r->memory = arena_array(&r->arena, struct stage_memory *, plan->queries.n);
	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];
		bool is_table = p_query_is_table(q) && !q->format;

		if (q->n_delta_slots)
			r->memory[i] = stage_memory_open(q->n_delta_slots);
		r->queries[i] = (struct view_query){
			.index = q->index,
			.n_columns = p_query_is_table(q) ? q->n_out : q->n_columns,
			.columns = p_query_is_table(q) ? q->out : q->columns,
			.is_table = is_table,
			.has_interval = q->every_ns != 0,
			.format = q->format,
		};
		if (!q->is_part)
			ops->query(r->view, &r->queries[i]);
	}
}

void result_row(struct result *r, const struct p_query *q, uint64_t time_ns,
		const struct cell *cells)
{
	r->rows++;
	r->ops->row(r->view, &r->queries[q->index], time_ns, cells);
}

static void run_stages(struct result *r, struct arena *a, const struct p_query *q,
		       struct table *t)
{
	struct stage_env env = { .memory = r->memory[q->index], .meminfo = r->meminfo };

	stages_run(a, q->stages.v, q->stages.n, t, &env);
}

/* Which columns of a part are 0 where the part has no such key. */
static const bool *zero_columns(struct arena *a, const struct p_query *part)
{
	bool *zero = arena_array(a, bool, part->n_out);

	for (int i = 0; i < part->n_aggs; i++)
		zero[part->n_keys + i] = part->aggs[i].ops->zero_if_missing;
	return zero;
}

static struct table *join(struct result *r, struct arena *a, const struct p_query *q,
			  struct table *const *parts)
{
	const bool **zero = arena_array(a, const bool *, q->parts.n);

	for (int i = 0; i < q->parts.n; i++) {
		const struct p_query *part = q->parts.v[i];

		run_stages(r, a, part, parts[i]);
		parts[i]->name = part->part_name;
		zero[i] = zero_columns(a, part);
	}
	return table_join(a, parts, q->parts.n, zero);
}

/* How many rows of events one row of a table stands for: the most that it shows of
 * them; 1 if it has no counts. */
static uint64_t rows_behind(const struct p_query *q, const struct cell *row)
{
	uint64_t most = 1;

	for (int i = 0; i < q->n_aggs; i++) {
		const struct cell *c = &row[q->n_keys + i];
		uint64_t n = 0;

		if (c->kind == CELL_INT && !strcmp(q->aggs[i].ops->name, "count"))
			n = (uint64_t)c->i;
		for (int k = 0; c->kind == CELL_HIST && c->hist && k < c->hist->n; k++)
			n += c->hist->rows[k].count;
		most = n > most ? n : most;
	}
	return most;
}

/* Before the stages, which leave rows out. */
static void add_rows(struct result *r, const struct p_query *q, const struct table *t)
{
	for (int i = 0; i < t->rows.n; i++)
		r->rows += rows_behind(q, t->rows.v[i]);
}

void result_tables(struct result *r, struct arena *a, const struct p_query *q,
		   struct table *const *parts, int n)
{
	struct table *t;

	if (!n || (q->parts.n && n != q->parts.n))
		return;
	for (int i = 0; i < n; i++)
		add_rows(r, q->parts.n ? q->parts.v[i] : q, parts[i]);
	t = q->parts.n ? join(r, a, q, parts) : parts[0];
	run_stages(r, a, q, t);
	for (int i = 0; q->format && i < t->rows.n; i++)
		r->ops->row(r->view, &r->queries[q->index], t->end_ns, t->rows.v[i]);
	if (q->format)
		return;
	r->ops->table(r->view, &r->queries[q->index], t);
}

int result_flush(struct result *r)
{
	return r->ops->flush(r->view);
}

int result_close(struct result *r)
{
	int error = r->ops->close(r->view);

	for (int i = 0; i < r->plan->queries.n; i++)
		if (r->memory[i])
			stage_memory_close(r->memory[i]);
	arena_fini(&r->arena);
	return error;
}
