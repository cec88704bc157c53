/*
 * trial: the rows and tables of a program that runs, compared with what its expressions give.
 */
#ifndef ORACLE_TRIAL_H
#define ORACLE_TRIAL_H

#include "oracle/open.h"
#include "oracle/stages.h"
#include "session/run.h"

struct trial {
	const struct dialect *dialect;
	const char *how;		/* the way that is tried */
	struct arena *arena;
	struct moment moments[EVENTS];
	struct pairs *pairs;
	struct buf query, events;
	struct put_param params[PARAMS];
	int next[PLAN_QUERIES];		/* of each query: the row that may come next */
	struct memory memories[PLAN_QUERIES];
	struct second { uint64_t second, rows; } seconds[PLAN_QUERIES];	/* the last in which it had rows */
	uint64_t cells;
	struct buf wrong;		/* what is, and all of the trial; nothing: nothing */
	struct buf mistakes;		/* of what is none of the language */
};

static void tell(struct trial *t, const char *what, int event, int column)
{
	if (!t->wrong.n)		/* one is enough of a program */
		buf_printf(&t->wrong, "%s: %s, event %d, column %d of: %.*s\n%.*s", t->how, what, event,
			   column, (int)t->query.n, t->query.p, (int)t->events.n, t->events.p);
}

/* Its second has had as many as `limit` lets through. */
static bool is_kept_back(const struct p_query *q, struct second *last, uint64_t time_ns)
{
	if (last->second != time_ns / NS_PER_S)
		*last = (struct second){ .second = time_ns / NS_PER_S };
	return q->limit_per_s && last->rows++ >= q->limit_per_s;
}

/* The query's next row, with its evaluation in v; NULL: there is none. */
static const struct pair *next_row(struct trial *t, const struct p_query *q, struct eval *v)
{
	for (int *i = &t->next[q->index]; *i < t->pairs->n[q->index];) {
		const struct pair *row = &t->pairs->rows[q->index][(*i)++];

		*v = eval_of(t->pairs, row);
		if (!row->branch || (passes(v, row->branch) && !is_kept_back(q, &t->seconds[q->index], row->at->time_ns)))
			return row;
	}
	return NULL;
}

static const char *shown(struct trial *t, struct value v)
{
	if (v.none)
		return "none";
	if (v.text.p)
		return arena_printf(t->arena, "\"%.*s\"", STR_ARG(v.text));
	return arena_printf(t->arena, "%" PRId64, (int64_t)v.bits);
}

static void on_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct trial *t = self;
	struct eval v = { 0 };
	const struct pair *row = next_row(t, q, &v);
	int at = (int)(time_ns / NS_PER_S);

	if (!row || (!t->dialect->live && row->at->time_ns != time_ns)) {
		tell(t, "a row that should not be, or one is missing before it", at, 0);
		return;
	}
	for (int i = 0; i < q->n_columns; i++) {
		struct value want, is = value_of_cell(&cells[i]);

		t->cells++;
		if (q->tree && !is_of_tree(cells, i, row->branch))
			tell(t, "the end of a tree is a row, or none", at, i);
		if (q->tree && (i == TREE_COMM || i == TREE_NAME || (!row->branch && i != TREE_TID && i != TREE_ROWS)))
			continue;
		want = row->branch ? eval(&v, row->branch->columns[i]) : number(i == TREE_TID ? (uint64_t)row->at->tid : row->tree_rows);
		if (v.unknown)
			tell(t, v.unknown, at, i);
		else if (!values_equal(is, want))
			tell(t, arena_printf(t->arena, "%s where it is %s", shown(t, is), shown(t, want)), at, i);
	}
}

/* One table before its stages. */
static const char *table_differs(struct trial *t, const struct p_query *q, const struct table *table, int *column)
{
	struct groups g;
	const char *wrong = NULL;

	int *next = &t->next[q->index];

	if (q->open)
		open_rows(t->pairs, q, table);
	if (q->sink == SINK_AGGS)
		groups_make(&g, q, table, t->pairs, &wrong);
	while (*next < t->pairs->n[q->index] && (!q->every_ns || t->pairs->rows[q->index][*next].at->time_ns <= table->end_ns))
		++*next;
	if (q->open)
		*next = t->pairs->n[q->index];
	if (q->over)			/* is not shown */
		t->next[q->over->index] = t->pairs->n[q->over->index];
	t->cells += (uint64_t)(table->rows.n * table->n_columns);
	if (q->sink == SINK_PRINT)
		return open_differs(q, table, t->pairs);
	if (q->sink == SINK_WORST)
		return worst_differs(q, table, t->pairs);
	if (table->rows.n != g.n)
		wrong = "another number of keys";
	for (int i = 0; i < table->rows.n && !wrong; i++)
		wrong = table_row_differs(&g, q, table, table->rows.v[i], column);
	return wrong;
}

static void on_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *tables, int n)
{
	struct trial *t = self;
	const char *wrong = NULL;
	int column = 0;

	(void)a;
	for (int i = 0; i < n && !wrong; i++)
		wrong = table_differs(t, q->parts.n ? q->parts.v[i] : q, tables[i], &column);
	if (!wrong && q->sink == SINK_AGGS)
		wrong = stages_differ(t->arena, q, tables, n, &t->memories[q->index], &column);
	if (wrong)
		tell(t, wrong, 0, column);
}

/* All its rows, in an executor; NULL: there is none. */
static void follow(struct trial *t, struct executor *x, struct run_options *o, struct err *e)
{
	struct run *r;
	struct eval v;
	unsigned happened;

	o->self = t;
	o->row = on_row;
	o->tables = on_tables;
	r = x ? run_open(x, o, e) : NULL;
	memset(t->next, 0, sizeof(t->next));
	memset(t->memories, 0, sizeof(t->memories));
	memset(t->seconds, 0, sizeof(t->seconds));
	for (int i = 0; i < o->plan->queries.n; i++)
		t->memories[i].program = stage_memory_open();
	if (!r || run_begin(r) || run_follow(r, &happened) || run_end(r))
		tell(t, e->causes.n ? e->causes.v[0] : "a run that fails", 0, 0);
	for (int i = 0; i < o->plan->queries.n && !t->wrong.n; i++)
		if (next_row(t, o->plan->queries.v[i], &v))
			tell(t, "a row is missing at the end", t->next[i], 0);
	for (int i = 0; i < o->plan->queries.n; i++)
		stage_memory_close(t->memories[i].program);
	run_close(r);
}

static void find_pairs(struct trial *t, const struct plan *plan)
{
	t->pairs = arena_new(t->arena, struct pairs);
	t->pairs->arena = t->arena;
	pairs_make(t->pairs, plan, t->moments);
	if (t->pairs->unknown)
		tell(t, t->pairs->unknown, 0, 0);
}

static void trial_fini(struct trial *t)
{
	buf_fini(&t->query);
	buf_fini(&t->events);
	buf_fini(&t->wrong);
	buf_fini(&t->mistakes);
}

#endif
