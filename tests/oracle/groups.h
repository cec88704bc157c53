/*
 * groups: what a query's aggregations give, evaluated row by row.
 */
#ifndef ORACLE_GROUPS_H
#define ORACLE_GROUPS_H

#include <math.h>

#include "oracle/eval.h"

#define KEYS_MOST 2
#define AGGS_MOST 3

struct gathered {
	uint64_t rows;			/* that its where lets through and whose value is not none */
	__int128 sum;
	struct value least, most, first, last;
	struct value seen[EVENTS];
	int n_seen;
};

struct group {
	struct value keys[KEYS_MOST];
	struct gathered aggs[AGGS_MOST];
};

struct groups {
	struct group v[EVENTS];
	int n;
};

static struct group *group_find(struct groups *g, const struct value *keys, int n)
{
	for (int i = 0; i < g->n; i++) {
		bool same = true;

		for (int k = 0; k < n; k++)
			same = same && values_equal(g->v[i].keys[k], keys[k]);
		if (same)
			return &g->v[i];
	}
	return NULL;
}

static struct group *group_add(struct groups *g, const struct value *keys, int n)
{
	struct group *new = &g->v[g->n++];

	*new = (struct group){ 0 };
	for (int i = 0; i < n; i++)
		new->keys[i] = keys[i];
	return new;
}

static void gather(struct gathered *a, struct value x, bool is_signed)
{
	bool seen = false;

	if (!a->rows++)
		a->first = a->least = a->most = x;
	a->sum += is_signed ? (__int128)(int64_t)x.bits : (__int128)x.bits;
	if (is_less(x.bits, a->least.bits, is_signed))
		a->least = x;
	if (is_less(a->most.bits, x.bits, is_signed))
		a->most = x;
	a->last = x;
	for (int i = 0; i < a->n_seen; i++)
		seen = seen || values_equal(a->seen[i], x);
	if (!seen)
		a->seen[a->n_seen++] = x;
}

static void group_row(struct groups *g, const struct p_query *q, const struct p_branch *b, struct eval *v)
{
	struct value keys[KEYS_MOST];
	struct group *group;

	for (int i = 0; i < q->n_keys; i++)
		keys[i] = eval(v, b->keys[i]);
	group = group_find(g, keys, q->n_keys);
	if (!group)
		group = group_add(g, keys, q->n_keys);
	for (int i = 0; i < q->n_aggs; i++) {
		const struct px *where = b->agg_where[i], *of = q->aggs[i].n_args ? b->agg_args[i][0] : NULL;
		struct value x = of ? eval(v, of) : number(0);

		if (!x.none && (!where || is_true(eval(v, where))))
			gather(&group->aggs[i], x, of && of->type.is_signed);
	}
}

/* Of all its rows: each event that passes. */
static void groups_make(struct groups *g, struct arena *a, const struct p_query *q, const struct row *rows,
			const char **unknown)
{
	const struct p_branch *b = q->branches.v[0];

	g->n = 0;
	for (int i = 0; i < EVENTS; i++) {
		struct eval v = { .arena = a, .row = &rows[i] };

		if (passes(&v, b))
			group_row(g, q, b, &v);
		if (v.unknown)
			*unknown = v.unknown;
	}
	if (!g->n && !q->n_keys)
		group_add(g, NULL, 0);
}

static bool cell_is(const struct cell *c, struct value want)
{
	if (want.none || c->kind == CELL_NONE)
		return want.none && c->kind == CELL_NONE;
	return values_equal(value_of_cell(c), want);
}

static bool cell_is_real(const struct cell *c, double want)
{
	return c->kind == CELL_REAL && fabs(c->r - want) <= fabs(want) * 1e-12;
}

static bool cell_is_sum(const struct cell *c, __int128 sum, bool is_signed)
{
	if (is_signed ? sum != (int64_t)sum : sum != (uint64_t)sum)
		return cell_is_real(c, (double)sum);
	return cell_is(c, number((uint64_t)sum));
}

static bool agg_is(const struct cell *c, const struct p_agg *agg, const struct gathered *a, const char **unknown)
{
	const char *name = agg->ops->name;
	const struct { const char *name; struct value value; } found[] = {
		{ "count", number(a->rows) }, { "distinct", number((uint64_t)a->n_seen) },
		{ "min", a->least }, { "max", a->most }, { "any", a->first }, { "last", a->last },
	};

	if (!strcmp(name, "sum"))
		return cell_is_sum(c, a->sum, agg->arg[0].is_signed);
	if (!strcmp(name, "avg") && a->rows)
		return cell_is_real(c, (double)((long double)a->sum / a->rows));
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
		if (!strcmp(name, found[i].name))
			return cell_is(c, a->rows || i < 2 ? found[i].value : no_value);
	if (strcmp(name, "avg"))
		*unknown = name;
	return c->kind == CELL_NONE;
}

/* What is wrong in the row of a table; *column says where. NULL: nothing. */
static const char *table_row_differs(struct groups *g, const struct p_query *q, const struct cell *cells, int *column)
{
	struct value keys[KEYS_MOST];
	struct group *group;
	const char *unknown = NULL;

	for (int i = 0; i < q->n_keys; i++)
		keys[i] = value_of_cell(&cells[i]);
	group = group_find(g, keys, q->n_keys);
	if (!group)
		return "a key that should not be";
	for (int i = 0; i < q->n_aggs; i++) {
		*column = q->n_keys + i;
		if (!agg_is(&cells[*column], &q->aggs[i], &group->aggs[i], &unknown))
			return unknown ? unknown : "the aggregation is not that of its rows";
	}
	return NULL;
}

#endif
