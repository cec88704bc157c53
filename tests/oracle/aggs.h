/*
 * aggs: is a cell what an aggregation makes of the values of its rows? Each is a row of `agg_rows`;
 * the values are kept all, so that nothing is made of what was made before.
 */
#ifndef ORACLE_AGGS_H
#define ORACLE_AGGS_H

#include <math.h>

#include "oracle/pairs.h"

/* The rows that its where lets through and whose values are not none, in the order of time. */
struct gathered {
	int n;
	bool is_signed;
	struct value v[ROWS];
	struct value next[ROWS];	/* the second argument's */
	uint64_t inside[ROWS];		/* when the period began that it is in, with `over` */
	double seconds;			/* of the table's interval */
};

static bool cell_is(const struct cell *c, struct value want)
{
	if (want.none || c->kind == CELL_NONE)
		return want.none && c->kind == CELL_NONE;
	return values_equal(value_of_cell(c), want);
}

static bool cell_is_real(const struct cell *c, double want, double error)
{
	return c->kind == CELL_REAL && fabs(c->r - want) <= fabs(want) * error;
}

static __int128 wide(const struct gathered *g, int i)
{
	return g->is_signed ? (__int128)(int64_t)g->v[i].bits : (__int128)g->v[i].bits;
}

static __int128 sum_of(const struct gathered *g)
{
	__int128 sum = 0;

	for (int i = 0; i < g->n; i++)
		sum += wide(g, i);
	return sum;
}

/* How many of the values are in lo .. hi. */
static int n_within(const struct gathered *g, __int128 lo, __int128 hi)
{
	int n = 0;

	for (int i = 0; i < g->n; i++)
		n += wide(g, i) >= lo && wide(g, i) <= hi;
	return n;
}

static bool is_count(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return cell_is(c, number((uint64_t)g->n));
}

static bool is_rate(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return cell_is_real(c, g->n / g->seconds, 1e-12);
}

static bool is_sum(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	__int128 sum = sum_of(g);

	(void)agg;
	if (g->is_signed ? sum != (int64_t)sum : sum != (uint64_t)sum)
		return cell_is_real(c, (double)sum, 1e-12);
	return cell_is(c, number((uint64_t)sum));
}

static bool is_avg(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return g->n ? cell_is_real(c, (double)((long double)sum_of(g) / g->n), 1e-12) : c->kind == CELL_NONE;
}

/* Around the first value, so that what is large and near another is exact. */
static bool is_stddev(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	long double mean = 0, squares = 0;

	(void)agg;
	for (int i = 0; i < g->n; i++)
		mean += (long double)(wide(g, i) - wide(g, 0)) / g->n;
	for (int i = 0; i < g->n; i++) {
		long double d = (long double)(wide(g, i) - wide(g, 0)) - mean;

		squares += d * d;
	}
	return g->n ? cell_is_real(c, (double)sqrtl(squares / g->n), 1e-9) : c->kind == CELL_NONE;
}

/* The value that so many are not larger than. */
static struct value nth_least(const struct gathered *g, int nth)
{
	for (int i = 0; i < g->n; i++) {
		int less = 0, same = 0;

		for (int k = 0; k < g->n; k++) {
			less += wide(g, k) < wide(g, i);
			same += wide(g, k) == wide(g, i);
		}
		if (nth > less && nth <= less + same)
			return g->v[i];
	}
	return no_value;
}

static bool is_min(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return cell_is(c, nth_least(g, 1));
}

static bool is_max(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return cell_is(c, nth_least(g, g->n));
}

/* The nearest rank's value, but for 1/16 of it; never outside of the values. */
static bool is_percentile(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	int thousandth = (int)(agg->number[0] * 1000 + 0.5), rank = (g->n * thousandth + 99999) / 100000;
	struct value want = nth_least(g, rank ? rank : 1);
	__int128 is = (uint64_t)c->i, exact = want.bits;

	if (want.none || (g->is_signed && want.bits >> 63))
		return c->kind == CELL_NONE;
	return c->kind == CELL_INT && 16 * (is - exact) <= exact && 16 * (exact - is) <= exact &&
	       n_within(g, is, HIST_ABOVE) && n_within(g, 0, is);
}

static bool is_distinct(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	uint64_t n = 0;

	(void)agg;
	for (int i = 0, k; i < g->n; i++) {
		for (k = 0; k < i && !values_equal(g->v[i], g->v[k]); k++)
			;
		n += k == i;
	}
	return cell_is(c, number(n));
}

static bool is_sequential(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	uint64_t n = 0;

	(void)agg;
	for (int i = 1, k; i < g->n; i++) {
		for (k = i - 1; k >= 0 && g->inside[k] != g->inside[i];)
			k--;
		n += k >= 0 && g->v[i].bits == g->next[k].bits;
	}
	return cell_is(c, number(n));
}

static bool is_any(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return cell_is(c, g->n ? g->v[0] : no_value);
}

static bool is_last(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	(void)agg;
	return cell_is(c, g->n ? g->v[g->n - 1] : no_value);
}

/* Rows without a gap, the outer ones not empty, each with the values that are in it. */
static bool is_drawn(const struct cell *c, const struct gathered *g,
		     bool (*fits)(const struct p_agg *agg, const struct hist_row *r), const struct p_agg *agg)
{
	int seen = 0;

	if (!g->n || c->kind != CELL_HIST)
		return !g->n && c->kind == CELL_NONE;
	for (int i = 0; i < c->hist->n; i++) {
		const struct hist_row *r = &c->hist->rows[i];

		if (!fits(agg, r) || (i && r->lo != r[-1].hi + 1) || (int)r->count != n_within(g, r->lo, r->hi))
			return false;
		seen += (int)r->count;
	}
	return seen == g->n && c->hist->rows[0].count && c->hist->rows[c->hist->n - 1].count;
}

/* 0..1, 2..3, 4..7, ... */
static bool fits_hist(const struct p_agg *agg, const struct hist_row *r)
{
	(void)agg;
	if (r->lo == HIST_BELOW || r->lo == 0)
		return r->hi == (r->lo ? -1 : 1);
	return r->lo > 1 && !(r->lo & (r->lo - 1)) && r->hi == 2 * r->lo - 1;
}

static bool is_hist(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	return is_drawn(c, g, fits_hist, agg);
}

static bool fits_lhist(const struct p_agg *agg, const struct hist_row *r)
{
	int64_t lo = (int64_t)agg->number[0], hi = (int64_t)agg->number[1], step = (int64_t)agg->number[2];

	if (r->lo >= hi)
		return r->lo == hi && r->hi == HIST_ABOVE;
	if (r->lo < lo)
		return r->lo == (agg->arg[0].is_signed ? HIST_BELOW : 0) && r->hi == lo - 1;
	return (r->lo - lo) % step == 0 && r->hi == (r->lo + step < hi ? r->lo + step : hi) - 1;
}

static bool is_lhist(const struct cell *c, const struct p_agg *agg, const struct gathered *g)
{
	return is_drawn(c, g, fits_lhist, agg);
}

static const struct agg_row {
	const char *name;
	bool (*is)(const struct cell *c, const struct p_agg *agg, const struct gathered *g);
} agg_rows[] = {
	{ "count", is_count }, { "sum", is_sum }, { "avg", is_avg }, { "min", is_min }, { "max", is_max },
	{ "stddev", is_stddev }, { "hist", is_hist }, { "lhist", is_lhist }, { "p", is_percentile },
	{ "distinct", is_distinct }, { "sequential", is_sequential }, { "any", is_any },
	{ "last", is_last }, { "rate", is_rate },
};

static const struct agg_row *agg_row_find(const struct p_agg *agg)
{
	for (size_t i = 0; i < sizeof(agg_rows) / sizeof(agg_rows[0]); i++)
		if (!strcmp(agg_rows[i].name, agg->ops->name))
			return &agg_rows[i];
	return NULL;
}

#endif
