/*
 * worst: the rows of `worst`, which are those with the largest values: of equal ones any.
 */
#ifndef ORACLE_WORST_H
#define ORACLE_WORST_H

#include "oracle/groups.h"

static struct eval passed(const struct pairs *p, const struct pair *row)
{
	struct eval v = eval_of(p, row);

	passes(&v, row->branch);
	return v;
}

/* Of the interval's rows that are not taken yet; -1: none is left. */
static int next_worst(const struct p_query *q, const struct table *t, const struct pairs *p, const bool *taken)
{
	struct value best = no_value;
	int found = -1;

	for (int i = 0; i < p->n[q->index]; i++) {
		const struct pair *row = &p->rows[q->index][i];
		struct eval v = passed(p, row);
		struct value rank = eval(&v, row->branch->rank);

		if (taken[i] || rank.none || !is_within(q, t, row->at->time_ns) ||
		    (found >= 0 && !is_less(best.bits, rank.bits, q->worst_signed)))
			continue;
		found = i;
		best = rank;
	}
	return found;
}

static bool is_row(const struct p_query *q, const struct pairs *p, const struct pair *row, const struct cell *cells)
{
	struct eval v = passed(p, row);

	for (int i = 0; i < q->n_columns; i++)
		if (!cell_is(&cells[i], eval(&v, row->branch->columns[i])))
			return false;
	return !v.unknown;
}

/* Is there one with these cells that is as large as the next? Takes it. */
static bool take_worst(const struct p_query *q, const struct table *t, const struct pairs *p, int next,
		       const struct cell *cells, bool *taken)
{
	const struct pair *rows = p->rows[q->index];
	struct eval v = passed(p, &rows[next]);
	struct value rank = eval(&v, rows[next].branch->rank);

	for (int i = 0; i < p->n[q->index]; i++) {
		v = passed(p, &rows[i]);
		if (taken[i] || !is_within(q, t, rows[i].at->time_ns) ||
		    !values_equal(eval(&v, rows[i].branch->rank), rank) || !is_row(q, p, &rows[i], cells))
			continue;
		taken[i] = true;
		return true;
	}
	return false;
}

/* What is wrong in the table; NULL: nothing. */
static const char *worst_differs(const struct p_query *q, const struct table *t, const struct pairs *p)
{
	bool taken[ROWS] = { false };

	for (int n = 0; n < q->worst_n; n++) {
		int next = next_worst(q, t, p, taken);

		if ((next >= 0) != (n < t->rows.n))
			return "another number of rows";
		if (next < 0)
			return NULL;
		if (!take_worst(q, t, p, next, t->rows.v[n], taken))
			return "it is no row with the next largest value";
	}
	return t->rows.n > q->worst_n ? "too many rows" : NULL;
}

#endif
