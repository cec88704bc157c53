/*
 * Equal actions become one: classes of system calls of which the plan, once it is resolved,
 * wants the same.
 *
 * Sources are split into classes by the names that the program has (build_action.c), before
 * it is known what those mean: `top 10 by count` names a column, and `count` is a parameter of
 * read and write, too. Here the expressions are there, and what they load decides.
 */
#include "plan/build_event.h"

/* ---- two lists of expressions, side by side ---- */

typedef bool (*pair_fn)(struct px *a, struct px *b);

static bool is_same(struct px *a, struct px *b)
{
	return a && b ? px_equal(a, b) : a == b;
}

/* What may be none in one class may be so in both: rt_sigreturn returns nothing. */
static bool join_nones(struct px *a, struct px *b)
{
	if (!a || a == b)
		return true;
	a->may_none |= b->may_none;
	for (int i = 0; i < a->n_kids; i++)
		join_nones(a->kids[i], b->kids[i]);
	return true;
}

static bool lists(struct px *const *a, struct px *const *b, int n, pair_fn fn)
{
	if (!a || !b)
		return !a && !b;
	for (int i = 0; i < n; i++)
		if (!fn(a[i], b[i]))
			return false;
	return true;
}

/* ---- what a branch and an action are made of ---- */

static bool steps(const struct p_branch *a, const struct p_branch *b, pair_fn fn)
{
	if (a->steps.n != b->steps.n)
		return false;
	for (int i = 0; i < a->steps.n; i++) {
		const struct p_step *x = &a->steps.v[i], *y = &b->steps.v[i];

		if (x->kind != y->kind || x->let != y->let || x->n != y->n || x->global != y->global
		    || !fn(x->expr, y->expr))
			return false;
	}
	return true;
}

static bool aggs(const struct p_branch *a, const struct p_branch *b, pair_fn fn)
{
	const struct p_query *q = a->query;

	for (int i = 0; a->agg_args && b->agg_args && i < q->n_aggs; i++)
		if (!lists(a->agg_args[i], b->agg_args[i], q->aggs[i].n_args, fn))
			return false;
	return !a->agg_args == !b->agg_args && lists(a->agg_where, b->agg_where, q->n_aggs, fn);
}

static bool branches(const struct p_branch *a, const struct p_branch *b, pair_fn fn)
{
	const struct p_query *q = a->query;

	return a->query == b->query && a->period == b->period
	    && a->event_is_syscall == b->event_is_syscall && a->n_lets == b->n_lets
	    && steps(a, b, fn) && lists(a->columns, b->columns, q->n_columns, fn)
	    && fn(a->rank, b->rank) && lists(a->keys, b->keys, p_query_all_keys(q), fn) && aggs(a, b, fn);
}

static bool all_branches(const struct p_action *a, const struct p_action *b, pair_fn fn)
{
	if (a->branches.n != b->branches.n)
		return false;
	for (int i = 0; i < a->branches.n; i++)
		if (!branches(a->branches.v[i], b->branches.v[i], fn))
			return false;
	return true;
}

static bool period_exprs(const struct p_action *a, const struct p_action *b, pair_fn fn)
{
	const struct p_period *p = a->period;

	return !p || (lists(a->keys, b->keys, p->n_keys, fn)
		      && lists(a->slots, b->slots, p->slots.n, fn));
}

static bool actions(const struct p_action *a, const struct p_action *b, pair_fn fn)
{
	return a->kind == b->kind && a->period == b->period && a->at_return == b->at_return
	    && !a->looks && !b->looks	/* a part's begins stay as they are */
	    && fn(a->guard, b->guard) && fn(a->record_guard, b->record_guard)
	    && fn(a->thread, b->thread) && fn(a->task, b->task) && fn(a->denied, b->denied)
	    && fn(a->too_deep, b->too_deep) && period_exprs(a, b, fn) && all_branches(a, b, fn);
}

/* ---- merging ---- */

static void drop_branches(const struct p_action *a)
{
	for (int i = 0; i < a->branches.n; i++) {
		struct p_query *q = a->branches.v[i]->query;
		int n = 0;

		for (int k = 0; k < q->branches.n; k++)
			if (q->branches.v[k] != a->branches.v[i])
				q->branches.v[n++] = q->branches.v[k];
		q->branches.n = n;
	}
}

static void add_calls(struct build *b, struct p_action *to, const struct p_calls *more)
{
	struct p_calls *all = arena_new(b->arena, struct p_calls);

	*all = *to->calls;
	for (int i = 0; i < SYSCALL_MOST / 64; i++)
		all->bits[i] |= more->bits[i];
	all->n += more->n;
	to->calls = build_is_every_call(b, all) ? NULL : all;
}

static bool are_disjoint(const struct p_calls *a, const struct p_calls *b)
{
	for (int i = 0; i < SYSCALL_MOST / 64; i++)
		if (a->bits[i] & b->bits[i])
			return false;
	return true;
}

/* Of one event the actions of one kind: what follows an equal one joins it. */
static void merge_kind(struct build *b, struct p_action **v, int *n)
{
	int kept = 0;

	for (int i = 0; i < *n; i++) {
		struct p_action *into = NULL;

		for (int k = 0; k < kept && !into && v[i]->calls; k++)
			if (v[k]->calls && are_disjoint(v[k]->calls, v[i]->calls)
			    && actions(v[k], v[i], is_same))
				into = v[k];
		if (!into) {
			v[kept++] = v[i];
			continue;
		}
		actions(into, v[i], join_nones);
		add_calls(b, into, v[i]->calls);
		drop_branches(v[i]);
	}
	*n = kept;
}

void build_merge(struct build *b)
{
	for (int i = 0; i < b->events.n; i++)
		for (int kind = 0; kind <= ACT_KINDS; kind++)
			merge_kind(b, b->events.v[i]->actions[kind].v,
				   &b->events.v[i]->actions[kind].n);
}
