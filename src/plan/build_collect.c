/*
 * The plan as it is handed on: events with their actions in order, periods, the names and
 * numbers of events, dense tables.
 */
#include "plan/build_event.h"

#include "lang/diag_tags.h"
#include "plan/build_store.h"

#define DENSE_MOST 4096

/* Ends from the inside, begins from the outside; else as they were written. */
static void by_rank(struct p_action **v, int n, int sign)
{
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && sign * v[k - 1]->period->rank > sign * v[k]->period->rank; k--) {
			struct p_action *a = v[k];

			v[k] = v[k - 1];
			v[k - 1] = a;
		}
}

/* Of a call whose begin is not kept: nobody asks, or nobody sees the rows. */
static bool does_nothing(const struct p_action *a)
{
	if (!a->period || a->period->store != STORE_ELIDED)
		return false;
	return a->kind == ACT_BEGIN ? !a->too_deep : !a->branches.n;
}

static void collect_events(struct build *b)
{
	for (int i = 0; i < b->events.n; i++) {
		struct b_event *p = b->events.v[i];

		by_rank(p->actions[ACT_END].v, p->actions[ACT_END].n, 1);
		by_rank(p->actions[ACT_BEGIN].v, p->actions[ACT_BEGIN].n, -1);
		for (int kind = 0; kind <= ACT_KINDS; kind++)
			for (int k = 0; k < p->actions[kind].n; k++) {
				const struct p_action *a = p->actions[kind].v[k];

				if (!does_nothing(a))
					vec_push(b->arena, &p->plan->actions, *a);
			}
		if (p->plan->actions.n) {
			build_func_finish(b, p->plan);
			p->plan->id = b->plan->events.n;
			vec_push(b->arena, &b->plan->events, p->plan);
		}
	}
}

/* The two tables of a query that begins anew share the room: each is of one interval only. */
static uint64_t usual_rows(const struct p_query *q)
{
	return p_query_begins_anew(q) ? PLAN_ROWS / 2 : PLAN_ROWS;
}

static void finish_table(struct build *b, struct p_query *q)
{
	const struct column *k = q->keys;

	if (b->options->interval_ns)
		q->every_ns = (uint64_t)b->options->interval_ns;
	if (q->over && q->every_ns && !q->every_keep && !b->diag->errors)
		diag_error(b->diag, DIAG_STAGE_ORDER, q->loc, "'in .. over' has no intervals: a period's rows may be in another "
			   "one than its end; 'every TIME keep' is possible");
	q->table_rows = b->options->table_rows ? b->options->table_rows : usual_rows(q);
	for (int i = 0; i < q->n_keys && !q->parts.n; i++)
		if (q->keys[i].type.kind == TY_EVENT)
			q->keys[i].type.dense = b->plan->n_event_numbers;
	if (p_query_all_keys(q) != 1 || q->parts.n || !k->type.dense || k->type.dense > DENSE_MOST
	    || !type_is_word(&k->type) || p_query_has_buckets(q))
		return;
	for (int i = 0; i < q->branches.n; i++)
		if (!q->branches.v[i]->keys || q->branches.v[i]->keys[0]->may_none
		    || q->branches.v[i]->keys[0]->op == PX_NONE)
			return;
	q->dense = k->type.dense;
}

static void finish_exclusive(struct build *b)
{
	for (int i = 0; i < b->plan->queries.n; i++)
		b->plan->queries.v[i]->exclusive = true;
	for (int i = 0; i < b->plan->events.n; i++) {
		const struct p_event *e = b->plan->events.v[i];

		for (int k = 0; k < e->actions.n; k++)
			for (int n = 0; n < e->actions.v[k].branches.n; n++)
				e->actions.v[k].branches.v[n]->query->exclusive &= e->cat->exclusive;
	}
	for (int i = 0; i < b->periods.n; i++) {
		struct b_period *p = b->periods.v[i];

		p->plan->exclusive = true;
		for (int k = 0; k < build_n_actions(p); k++)
			p->plan->exclusive &= build_action_at(p, k)->event->plan->cat->exclusive;
	}
}

struct plan *build_collect(struct build *b)
{
	collect_events(b);
	build_name_events(b);
	for (int i = 0; i < b->plan->queries.n; i++)
		if (p_query_is_table(b->plan->queries.v[i]))
			finish_table(b, b->plan->queries.v[i]);
	for (int i = 0; i < b->periods.n; i++)
		if (b->periods.v[i]->begins.n && b->periods.v[i]->ends.n)
			vec_push(b->arena, &b->plan->periods, b->periods.v[i]->plan);
	finish_exclusive(b);
	build_before(b);
	b->plan->max_open = b->options->max_open;
	plan_layout(b->plan);
	return b->plan;
}
