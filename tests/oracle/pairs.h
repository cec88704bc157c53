/*
 * pairs: the rows that a plan's actions make of the events, with the begins that are open meanwhile.
 */
#ifndef ORACLE_PAIRS_H
#define ORACLE_PAIRS_H

#include "oracle/split.h"
#include "oracle/tree.h"

#define ROWS EVENTS			/* an event makes one of a query at most */

struct pair {
	const struct p_branch *branch;
	const struct moment *at;
	const struct begun *begun;	/* and no branch: the end of a tree */
	int step;
	uint64_t tree_rows;
};

/* Of each query, in the order of time. */
struct pairs {
	struct arena *arena;
	struct pair rows[PLAN_QUERIES][ROWS];
	struct nest nests[THREADS + 1];
	int n[PLAN_QUERIES];
	opened_list opened;
	credit_list credits;
	int step;
	uint64_t *counts;
	const char *unknown;
};

/* Without keys it is the thread's. False: a key is none, which is no period's. */
static bool key_of(struct eval *v, const struct p_action *act, struct value *keys)
{
	bool none = false;

	keys[0] = number((uint64_t)v->at->tid);
	for (int i = 0; i < act->period->n_keys && act->keys; i++) {
		keys[i] = eval(v, act->keys[i]);
		none = none || keys[i].none;
	}
	return !none;
}

static struct opened *find_open(struct pairs *p, const struct p_period *period, const struct value *keys)
{
	for (int i = 0; i < p->opened.n; i++) {
		struct opened *o = p->opened.v[i];
		bool same = o->period == period && o->to > p->step;

		for (int k = 0; k < (period->n_keys ? period->n_keys : 1); k++)
			same = same && values_equal(o->keys[k], keys[k]);
		if (same)
			return o;
	}
	return NULL;
}

static void close_it(struct pairs *p, const struct eval *v, struct opened *o)
{
	o->to = p->step;
	o->until_ns = v->at->time_ns;
}

static void begin(struct pairs *p, struct eval *v, const struct p_action *act)
{
	struct opened *new = arena_new(p->arena, struct opened), *old;
	struct value keys[PERIOD_KEYS];

	if (!key_of(v, act, keys))
		return;
	old = find_open(p, act->period, keys);
	if (old && act->period->keep == KEEP_FIRST)
		return;
	if (old)
		close_it(p, v, old);
	*new = (struct opened){ .period = act->period, .begun = arena_new(p->arena, struct begun), .from = p->step,
				.to = INT_MAX, .until_ns = UINT64_MAX };
	new->begun->at = v->at;
	new->begun->since_ns = v->at->time_ns;
	memcpy(new->keys, keys, sizeof(keys));
	if (act->thread)
		new->thread = eval(v, act->thread);
	for (int i = 0; i < act->period->slots.n; i++)
		new->begun->slots[i] = act->slots[i] ? eval(v, act->slots[i]) : no_value;
	nest_begin(&p->nests[v->at->tid], act->period, old, new->begun);
	credit_add(&p->credits, v, act, new);
	vec_push(p->arena, &p->opened, new);
}

/* The period that an end or a via is of, or NULL. */
static struct opened *find_meant(struct pairs *p, struct eval *v, const struct p_action *act)
{
	struct value keys[PERIOD_KEYS];
	struct opened *o = key_of(v, act, keys) ? find_open(p, act->period, keys) : NULL;

	v->begun = o ? o->begun : NULL;
	return o && act->record_guard && !is_true(eval(v, act->record_guard)) ? NULL : o;
}

/* The last one counts, also for what it lacks. */
static void via(struct pairs *p, struct eval *v, const struct p_action *act)
{
	struct opened *o = find_meant(p, v, act);
	struct begun *kept = arena_new(p->arena, struct begun);

	if (!o)
		return;
	*kept = *o->begun;
	kept->before = o->begun;
	kept->since_ns = v->at->time_ns;
	for (int i = 0; i < act->period->slots.n; i++)
		if (act->period->slots.v[i].of_via)
			kept->slots[i] = act->slots[i] ? eval(v, act->slots[i]) : no_value;
	o->begun = kept;
}

/* What an end's or an event's rows begin with; false: there are none. */
static bool row_begins(struct pairs *p, struct eval *v, const struct p_action *act)
{
	struct opened *o;

	if (act->kind == ACT_ROW)
		return true;
	o = find_meant(p, v, act);
	if (o) {
		close_it(p, v, o);
		nest_end(&p->nests[v->at->tid], o);
	}
	if (o && o->period->split)
		v->begun = split_row(p->arena, &p->credits, o, v->at);
	return o;
}

static void add_row(struct pairs *p, const struct eval *v, const struct p_query *q, struct pair row)
{
	if (p->n[q->index] == ROWS) {
		p->unknown = "two rows of an event";
		return;
	}
	row.at = v->at;
	row.begun = v->begun;
	row.step = v->step;
	p->rows[q->index][p->n[q->index]++] = row;
}

/* Those that pass. */
static void add_rows(struct pairs *p, struct eval *v, const struct p_action *act)
{
	struct nest *nest = &p->nests[v->at->tid];
	const struct p_query *tree = act->period ? act->period->tree : NULL;

	for (int i = 0; i < act->branches.n; i++) {
		struct p_branch *b = act->branches.v[i];
		struct eval row = *v;

		row.counts = p->counts;
		if (!passes(&row, b)) {
			v->unknown = row.unknown;
			continue;
		}
		add_row(p, v, b->query, (struct pair){ .branch = b, .tree_rows = b->query->tree ? nest_row(nest, true) : 0 });
		tree = b->query == tree ? NULL : tree;
	}
	if (tree && !nest->depth && nest->rows)
		add_row(p, v, tree, (struct pair){ .tree_rows = nest_row(nest, false) });
}

static void act(struct pairs *p, const struct moment *at, const struct p_action *act)
{
	struct eval v = { .arena = p->arena, .at = at, .opened = &p->opened, .step = ++p->step };
	bool wanted = !act->guard || is_true(eval(&v, act->guard));

	if ((act->kind != ACT_ROW && act->kind != ACT_END && act->kind != ACT_BEGIN && act->kind != ACT_VIA) ||
	    (act->period && act->period->slots.n > SLOTS_MOST))
		v.unknown = "an action, or a begin of many values";
	else if (wanted && act->kind == ACT_BEGIN)
		begin(p, &v, act);
	else if (wanted && act->kind == ACT_VIA)
		via(p, &v, act);
	else if (wanted && row_begins(p, &v, act))
		add_rows(p, &v, act);
	if (v.unknown)
		p->unknown = v.unknown;
}

/* Live all calls come to one event. */
static bool is_of(const struct p_event *event, const struct p_action *a, const struct moment *m)
{
	if (!a->calls)
		return !strcmp(event->name, made_dialect.kinds[m->kind]);
	return a->calls->bits[m->call / 64] >> m->call % 64 & 1;
}

static void pairs_make(struct pairs *p, const struct plan *plan, const struct moment *moments)
{
	p->counts = arena_array(p->arena, uint64_t, plan->n_globals + 1);
	for (int i = 0; i < EVENTS; i++)
		for (int e = 0; e < plan->events.n; e++) {
			const struct p_event *event = plan->events.v[e];

			for (int k = 0; k < event->actions.n; k++)
				if (is_of(event, &event->actions.v[k], &moments[i]))
					act(p, &moments[i], &event->actions.v[k]);
		}
}

static struct eval eval_of(const struct pairs *p, const struct pair *row)
{
	return (struct eval){ .arena = p->arena, .at = row->at, .begun = row->begun, .opened = &p->opened,
			      .step = row->step, .tree_rows = row->tree_rows };
}

#endif
