/*
 * A `let` that nothing reads is not computed, and what nothing reads of a begin is not kept: a
 * definition, and a choice by a parameter, has more than each query needs.
 */
#include "plan/build_store.h"

#include <string.h>

#include "plan/build_period.h"

static bool any(const struct px *e, build_test *test, void *arg)
{
	return e && px_any(e, test, arg);
}

bool build_branch_any(const struct p_branch *br, build_test *test, void *arg)
{
	const struct p_query *q = br->query;
	bool found = any(br->rank, test, arg);

	for (int i = 0; i < br->steps.n; i++)
		found |= any(br->steps.v[i].expr, test, arg);
	for (int i = 0; br->columns && i < q->n_columns; i++)
		found |= any(br->columns[i], test, arg);
	for (int i = 0; br->keys && i < p_query_all_keys(q); i++)
		found |= any(br->keys[i], test, arg);
	for (int i = 0; br->agg_args && i < q->n_aggs; i++) {
		found |= any(br->agg_where[i], test, arg);
		for (int k = 0; k < q->aggs[i].n_args; k++)
			found |= any(br->agg_args[i][k], test, arg);
	}
	return found;
}

static bool is_let(const struct px *e, void *let)
{
	return e->op == PX_LET && e->index == *(int *)let;
}

/* Steps go from the last to the first, so that what only an unread one reads is unread, too. */
static void drop_unread(struct p_branch *br)
{
	for (int i = br->steps.n - 1; i >= 0; i--) {
		struct p_step *s = &br->steps.v[i];

		if (s->kind != STEP_LET || build_branch_any(br, is_let, &s->let))
			continue;
		memmove(s, s + 1, sizeof(*s) * (size_t)(br->steps.n - 1 - i));
		br->steps.n--;
	}
}

/* ---- what is kept of a begin ---- */

static bool is_slot(const struct px *e, void *slot)
{
	return e->op == PX_SLOT && e->index == *(int *)slot;
}

/* By the rows of the period, or by what its ends ask of the record. */
static bool is_read(const struct build *b, struct b_period *p, int slot)
{
	for (int i = 0; i < b->plan->queries.n; i++) {
		const struct p_query *q = b->plan->queries.v[i];

		for (int k = 0; k < q->branches.n; k++)
			if (q->branches.v[k]->period == p->plan &&
			    build_branch_any(q->branches.v[k], is_slot, &slot))
				return true;
	}
	if (p->plan->in_flight && slot == p->plan->flight_key)
		return is_read(b, p, p->plan->flight_slot);
	for (int i = p->begins.n; i < build_n_actions(p); i++) {
		const struct p_action *a = build_action_at(p, i)->plan;

		if (a && any(a->record_guard, is_slot, &slot))
			return true;
	}
	return false;
}

void build_unread(struct build *b)
{
	for (int i = 0; i < b->plan->queries.n; i++)
		for (int k = 0; k < b->plan->queries.v[i]->branches.n; k++)
			drop_unread(b->plan->queries.v[i]->branches.v[k]);
	for (int i = 0; i < b->periods.n; i++) {
		struct b_period *p = b->periods.v[i];

		/* whoever asks for one has slots of its own */
		if (build_is_asked(p) || p->plan->tree)
			continue;
		for (int k = 0; k < p->plan->slots.n; k++)
			p->plan->slots.v[k].unread = !is_read(b, p, k);
	}
}
