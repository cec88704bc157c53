/* Rows and tables on their way to the sink. See result.h. */
#include "session/result.h"

#include <stdlib.h>
#include <string.h>

#include "table/stack.h"

struct sink_query sink_query_of(const struct p_query *q)
{
	return (struct sink_query){
		.index = q->index,
		.n_columns = p_query_is_table(q) ? q->n_out : q->n_columns,
		.columns = p_query_is_table(q) ? q->out : q->columns,
		.is_table = p_query_is_table(q) && !q->format,
		.is_tree = q->tree,
		.has_interval = q->every_ns != 0,
		.format = q->format,
	};
}

void result_open(struct result *r, const struct plan *plan, const struct sink_ops *ops, struct sink *sink,
		 const struct names *names)
{
	*r = (struct result){ .plan = plan, .ops = ops, .sink = sink, .names = names };
	r->queries = arena_array(&r->arena, struct sink_query, plan->queries.n);
	r->memory = arena_array(&r->arena, struct stage_memory *, plan->queries.n);
	r->trees = arena_array(&r->arena, struct trees *, plan->queries.n);
	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];

		if (q->n_delta_slots)
			r->memory[i] = stage_memory_open();
		if (q->tree)
			r->trees[i] = trees_open(q->columns, q->tree_levels);
		r->queries[i] = sink_query_of(q);
		if (!q->is_part && ops->query)
			ops->query(sink, &r->queries[i]);
	}
}

/* What is shown of a stack is its frames: from here on its cells hold them. */
static void name_stacks(struct result *r, struct arena *a, const struct column *columns, int n,
			struct cell *cells)
{
	for (int i = 0; i < n; i++) {
		struct cell *c = &cells[i];
		const struct stack *s;

		if (!stack_is(&columns[i].type) || c->kind != CELL_BYTES || !r->names ||
		    !r->names->stack)
			continue;
		s = r->names->stack(r->names->self, a, c->bytes.p, c->bytes.n);
		if (columns[i].type.kind == TY_USYM) {
			c->bytes.p = stack_symbol(a, s);
			c->bytes.n = (int)strlen(c->bytes.p);
		} else {
			c->stack = s;
			c->kind = CELL_STACK;
		}
	}
}

static bool has_stack(const struct column *columns, int n)
{
	for (int i = 0; i < n; i++)
		if (stack_is(&columns[i].type))
			return true;
	return false;
}

static void row(struct result *r, const struct sink_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct arena a = { 0 };
	struct cell *named;

	if (!r->ops->row)
		return;
	if (!has_stack(q->columns, q->n_columns)) {
		r->ops->row(r->sink, q, time_ns, cells);
		return;
	}
	named = arena_array(&a, struct cell, q->n_columns);
	memcpy(named, cells, sizeof(*named) * (size_t)q->n_columns);
	name_stacks(r, &a, q->columns, q->n_columns, named);
	r->ops->row(r->sink, q, time_ns, named);
	arena_fini(&a);
}

/* A sink that takes no trees has its rows, one by one. */
static void show_tree(struct result *r, const struct p_query *q, const struct table *t)
{
	const struct sink_query *v = &r->queries[q->index];

	if (!t)
		return;
	r->rows += (uint64_t)t->rows.n;
	if (r->ops->tree) {
		r->ops->tree(r->sink, v, t);
		return;
	}
	for (int i = 0; r->ops->row && i < t->rows.n; i++)
		r->ops->row(r->sink, v, (uint64_t)t->rows.v[i][TREE_BEGIN].i, t->rows.v[i]);
}

void result_row(struct result *r, const struct p_query *q, uint64_t time_ns,
		const struct cell *cells)
{
	if (q->tree) {
		show_tree(r, q, trees_add(r->trees[q->index], cells));
		return;
	}
	r->rows++;
	row(r, &r->queries[q->index], time_ns, cells);
}

static void run_stages(struct result *r, struct arena *a, const struct p_query *q,
		       struct table *t)
{
	struct stage_env env = { .memory = r->memory[q->index], .meminfo = r->meminfo, .peeks = t->snapshot };

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

		if (c->kind == CELL_INT && q->aggs[i].ops->counts_rows)
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
		row(r, &r->queries[q->index], t->end_ns, t->rows.v[i]);
	if (q->format)
		return;
	for (int i = 0; has_stack(t->columns, t->n_columns) && i < t->rows.n; i++)
		name_stacks(r, a, t->columns, t->n_columns, t->rows.v[i]);
	if (r->ops->table)
		r->ops->table(r->sink, &r->queries[q->index], t);
}

int result_flush(struct result *r)
{
	return r->ops->flush ? r->ops->flush(r->sink) : 0;
}

void result_rest(struct result *r)
{
	const struct table *t;

	for (int i = 0; i < r->plan->queries.n; i++)
		while (r->trees[i] && (t = trees_rest(r->trees[i])))
			show_tree(r, r->plan->queries.v[i], t);
}

void result_losses(struct result *r, const struct loss *losses, int n)
{
	if (r->ops->losses)
		r->ops->losses(r->sink, losses, n);
}

void result_close(struct result *r)
{
	for (int i = 0; i < r->plan->queries.n; i++) {
		if (r->memory[i])
			stage_memory_close(r->memory[i]);
		trees_close(r->trees[i]);
	}
	arena_fini(&r->arena);
}
