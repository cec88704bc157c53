/*
 * open: the rows of `open`: the begins that had no end yet when a table was made.
 */
#ifndef ORACLE_OPEN_H
#define ORACLE_OPEN_H

#include "oracle/worst.h"

static void add_open(struct pairs *p, struct p_branch *b, const struct opened *o, const struct moment *now)
{
	const struct begun *begun = o->begun;
	struct pair row = { .branch = b, .at = now, .step = p->step };
	struct eval v;

	while (begun && begun->since_ns > now->time_ns)
		begun = begun->before;
	if (!begun || o->until_ns <= now->time_ns || o->period != b->period)
		return;
	row.begun = begun;
	v = eval_of(p, &row);
	if (passes(&v, b))
		p->rows[b->query->index][p->n[b->query->index]++] = row;
}

/* The query's rows, in the place of those that were there before. */
static void open_rows(struct pairs *p, const struct p_query *q, const struct table *t)
{
	struct moment *now = arena_new(p->arena, struct moment);

	now->time_ns = t->end_ns;
	p->n[q->index] = 0;
	for (int i = 0; i < q->branches.n; i++)
		for (int k = 0; k < p->opened.n; k++)
			add_open(p, q->branches.v[i], p->opened.v[k], now);
}

/* What is wrong in the table of a `print`, which has the longest first; NULL: nothing. */
static const char *open_differs(const struct p_query *q, const struct table *t, const struct pairs *p)
{
	bool taken[ROWS] = { false };

	if (t->rows.n != p->n[q->index])
		return "another number of rows that are open";
	for (int n = 0, i; n < t->rows.n; n++) {
		for (i = 0; i < p->n[q->index]; i++)
			if (!taken[i] && is_row(q, p, &p->rows[q->index][i], t->rows.v[n]))
				break;
		if (i == p->n[q->index])
			return "a row of nothing that is open";
		taken[i] = true;
	}
	return NULL;
}

#endif
