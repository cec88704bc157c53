/*
 * groups: the rows of each key that a query's aggregations are of.
 */
#ifndef ORACLE_GROUPS_H
#define ORACLE_GROUPS_H

#include "oracle/aggs.h"

#define KEYS_MOST 2
#define AGGS_MOST 3

struct group {
	struct value keys[KEYS_MOST];
	struct gathered aggs[AGGS_MOST];
};

struct groups {
	struct group *v[ROWS];
	int n;
};

static struct group *group_find(struct groups *g, const struct value *keys, int n)
{
	for (int i = 0; i < g->n; i++) {
		bool same = true;

		for (int k = 0; k < n; k++)
			same = same && values_equal(g->v[i]->keys[k], keys[k]);
		if (same)
			return g->v[i];
	}
	return NULL;
}

static struct group *group_add(struct arena *a, struct groups *g, const struct value *keys, int n)
{
	struct group *new = g->v[g->n++] = arena_new(a, struct group);

	for (int i = 0; i < n; i++)
		new->keys[i] = keys[i];
	return new;
}

static void gather(struct gathered *g, struct eval *v, const struct p_agg *agg, const struct p_branch *b, int i)
{
	const struct p_query *q = b->query;
	const struct px *where = b->agg_where[i];
	struct value of[2] = { number(0), number(0) };

	for (int k = 0; k < agg->n_args && k < 2; k++)
		of[k] = eval(v, b->agg_args[i][k]);
	if (of[0].none || of[1].none || (where && !is_true(eval(v, where))))
		return;
	g->is_signed = agg->n_args && agg->arg[0].is_signed;
	g->v[g->n] = of[0];
	g->inside[g->n] = q->over ? eval(v, b->keys[q->n_keys]).bits : 0;
	g->next[g->n++] = of[1];
}

static void group_row(struct groups *g, const struct p_query *q, const struct p_branch *b, struct eval *v)
{
	struct value keys[KEYS_MOST];
	struct group *group;

	for (int i = 0; i < q->n_keys; i++)
		keys[i] = eval(v, b->keys[i]);
	group = group_find(g, keys, q->n_keys);
	if (!group)
		group = group_add(v->arena, g, keys, q->n_keys);
	for (int i = 0; i < q->n_aggs; i++)
		gather(&group->aggs[i], v, &q->aggs[i], b, i);
}

/* Is the row one of the table's interval? With keep an interval has those before it, too. */
static bool is_within(const struct p_query *q, const struct table *t, uint64_t time_ns)
{
	return !q->every_ns || (time_ns <= t->end_ns && (q->every_keep || time_ns >= t->begin_ns));
}

/* Was the period that the row is in one of those that took so long and ended by then? Its begin and thread say
 * which. */
static bool is_of_long(const struct p_query *q, const struct pairs *p, const struct p_branch *b, struct eval *v,
		       uint64_t end_ns)
{
	struct value keys[2] = { eval(v, b->keys[q->n_keys]), eval(v, b->keys[q->n_keys + 1]) };

	for (int i = 0; i < p->n[q->over->index]; i++) {
		const struct pair *row = &p->rows[q->over->index][i];
		struct eval of = eval_of(p, row);

		if ((!q->every_ns || row->at->time_ns <= end_ns) && passes(&of, row->branch) &&
		    values_equal(eval(&of, row->branch->keys[0]), keys[0]) &&
		    values_equal(eval(&of, row->branch->keys[1]), keys[1]))
			return true;
	}
	return false;
}

/* Of all its rows that pass. */
static void groups_make(struct groups *g, const struct p_query *q, const struct table *t, const struct pairs *p,
			const char **unknown)
{
	g->n = 0;
	for (int i = 0; i < p->n[q->index]; i++) {
		const struct pair *row = &p->rows[q->index][i];
		struct eval v = eval_of(p, row);

		if (is_within(q, t, row->at->time_ns) && passes(&v, row->branch) &&
		    (!q->over || is_of_long(q, p, row->branch, &v, t->end_ns)))
			group_row(g, q, row->branch, &v);
		if (v.unknown)
			*unknown = v.unknown;
	}
	if (!g->n && !q->n_keys)
		group_add(p->arena, g, NULL, 0);
}

/* What is wrong in the row of a table; *column says where. NULL: nothing. */
static const char *table_row_differs(struct groups *g, const struct p_query *q, const struct table *t,
				     const struct cell *cells, int *column)
{
	struct value keys[KEYS_MOST];
	struct group *group;

	for (int i = 0; i < q->n_keys; i++)
		keys[i] = value_of_cell(&cells[i]);
	group = group_find(g, keys, q->n_keys);
	if (!group)
		return "a key that should not be";
	for (int i = 0; i < q->n_aggs; i++) {
		const struct agg_row *row = agg_row_find(&q->aggs[i]);

		*column = q->n_keys + i;
		group->aggs[i].seconds = (double)(t->end_ns - t->begin_ns) / 1e9;
		if (!row || !row->is(&cells[*column], &q->aggs[i], &group->aggs[i]))
			return row ? "the aggregation is not that of its rows" : q->aggs[i].ops->name;
	}
	return NULL;
}

#endif
