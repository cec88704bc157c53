/*
 * Layout: where things are inside the records of periods and the rows of
 * aggregations, and which aggregations share a set of buckets.
 *
 * What the tables as a whole look like (array or hash, the word that says a
 * row is there) is bpf/image_table.c's.
 */
#include "plan/plan.h"

/* Open calls that a thread keeps: as many as the kernel has open returns of, unless their records
 * are too large for a thread's storage. */
#define CALLS_KEPT 64
#define CALLS_KEPT_LARGE 16
#define CALL_BYTES_MOST 500

static uint32_t value_bytes(const struct type *t)
{
	return type_is_word(t) ? 8 : (t->bytes + 7) / 8 * 8;
}

static void key_layout(struct p_period *p)
{
	p->key_bytes = 0;
	for (int i = 0; i < p->n_keys; i++)
		p->key_bytes += value_bytes(&p->key_types[i]);
}

int plan_n_kept(const struct p_period *p)
{
	int n = 0;

	for (int i = 0; i < p->slots.n; i++)
		n += !p->slots.v[i].unread;
	return n;
}

void plan_layout_period(struct p_period *p)
{
	uint32_t off = 8;		/* the begin's time */

	if (p->slot_mask) {
		p->mask_off = off;
		off += 8;
	}
	for (int i = 0; i < p->slots.n; i++) {
		p->slots.v[i].off = off;
		off += p->slots.v[i].unread ? 0 : value_bytes(&p->slots.v[i].type);
	}
	if (p->many_calls) {
		p->number_off = off;
		off += 8;
	}
	if (p->by_thread) {
		p->thread_off = off;
		off += 16 + p->key_bytes;
		off += p->is_call ? 0 : 8 + p->key_bytes;
	}
	for (int i = 0; i < p->tickets.n; i++) {
		p->tickets.v[i].off = off;
		off += 8 + p->tickets.v[i].row->key_bytes;
	}
	p->record_bytes = off;
	p->calls_kept = off < CALL_BYTES_MOST ? CALLS_KEPT : CALLS_KEPT_LARGE;
}

static bool same_px(const struct px *a, const struct px *b)
{
	return a == b || (a && b && px_equal(a, b));
}

/* Do two aggregations put every row into the same bucket? */
static bool same_buckets(const struct p_query *q, int i, int j)
{
	const struct p_agg *a = &q->aggs[i], *b = &q->aggs[j];

	if (a->ops->emit_bucket != b->ops->emit_bucket || a->n_args != b->n_args)
		return false;
	if (a->n_args > 1)		/* lhist's borders; a percentile's number is no border */
		for (int k = 0; k < 3; k++)
			if (a->number[k] != b->number[k])
				return false;
	for (int k = 0; k < q->branches.n; k++) {
		const struct p_branch *br = q->branches.v[k];

		if (!same_px(br->agg_where ? br->agg_where[i] : NULL,
			     br->agg_where ? br->agg_where[j] : NULL))
			return false;
		if (a->n_args && !same_px(br->agg_args[i][0], br->agg_args[j][0]))
			return false;
	}
	return true;
}

bool p_query_has_buckets(const struct p_query *q)
{
	for (int i = 0; i < q->n_aggs; i++)
		if (q->aggs[i].ops->emit_bucket)
			return true;
	return false;
}

static void query_layout(struct p_query *q)
{
	uint32_t off = 0;

	for (int i = 0; i < q->n_aggs; i++) {
		struct p_agg *a = &q->aggs[i];

		a->state_off = off;
		a->state_bytes = a->ops->state_bytes ? a->ops->state_bytes(a) : 0;
		off += a->state_bytes;
		a->buckets = -1;
		if (!a->ops->emit_bucket)
			continue;
		for (int j = 0; j < i && a->buckets < 0; j++) {
			if (q->aggs[j].buckets < 0 || !same_buckets(q, i, j))
				continue;
			a->buckets = q->aggs[j].buckets;
			a->shares_buckets = true;
			a->shares_with = j;
		}
		if (a->buckets < 0)
			a->buckets = q->n_bucket_sets++;
	}
}

void plan_layout(struct plan *p)
{
	for (int i = 0; i < p->periods.n; i++)
		key_layout(p->periods.v[i]);
	for (int i = 0; i < p->periods.n; i++)
		plan_layout_period(p->periods.v[i]);
	for (int i = 0; i < p->queries.n; i++)
		if (p->queries.v[i]->sink == SINK_AGGS)
			query_layout(p->queries.v[i]);
}
