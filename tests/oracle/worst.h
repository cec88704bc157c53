/*
 * worst: the rows of `worst`, which are those with the largest values: of equal ones the earliest.
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

/* What is wrong in the table; *column says where. NULL: nothing. */
static const char *worst_differs(const struct p_query *q, const struct table *t, const struct pairs *p, int *column)
{
	bool taken[ROWS] = { false };

	for (int n = 0; n < q->worst_n; n++) {
		int next = next_worst(q, t, p, taken);
		struct eval v;

		if ((next >= 0) != (n < t->rows.n))
			return "another number of rows";
		if (next < 0)
			return NULL;
		taken[next] = true;
		v = passed(p, &p->rows[q->index][next]);
		for (*column = 0; *column < q->n_columns; ++*column)
			if (!cell_is(&t->rows.v[n][*column], eval(&v, p->rows[q->index][next].branch->columns[*column])))
				return "it is not the row with the next largest value";
		if (v.unknown)
			return v.unknown;
	}
	return t->rows.n > q->worst_n ? "too many rows" : NULL;
}

#endif
