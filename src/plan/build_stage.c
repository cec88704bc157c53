/*
 * The stages that are more than a step on the way of a row.
 *
 *	open	the rows are periods that have not ended: nothing runs at their ends, and
 *		what is asked of them is asked of their begins' records
 */
#include "plan/build.h"

#include "lang/diag_tags.h"

/* ---- open ---- */

static bool has_open(struct build *b, const ast_stages *stages, int n)
{
	for (int i = 0; i < n; i++)
		if (stages->v[i]->id == STAGE_OPEN && cond_holds(b->env, &stages->v[i]->cond))
			return true;
	return false;
}

void build_open_ways(struct build *b, struct p_query *q, ways *all, const ast_stages *stages,
		     int sink)
{
	ways kept = { 0 };

	q->open = has_open(b, stages, sink);
	for (int i = 0; i < all->n && !q->open; i++)
		q->open = has_open(b, &all->v[i]->stages, all->v[i]->stages.n);
	if (!q->open)
		return;
	for (int i = 0; i < all->n; i++) {
		bool known = false;

		for (int k = 0; k < kept.n; k++)
			known |= all->v[i]->pairing && kept.v[k]->pairing == all->v[i]->pairing;
		all->v[i]->open = all->v[i]->pairing != NULL;
		if (!known)
			vec_push(b->arena, &kept, all->v[i]);
	}
	*all = kept;
}

/* Something that runs here over each open begin of the way's period. */
void build_open_row(struct build *b, struct way *w)
{
	struct p_event *e = arena_new(b->arena, struct p_event);
	struct p_action *a = vec_add(b->arena, &e->actions);

	e->id = b->plan->opens.n;
	e->attach = ATTACH_OPEN;
	e->name = w->pairing->period->name;
	e->loc = w->pairing->period->loc;
	a->kind = ACT_OPEN;
	a->period = w->pairing->period;
	a->loc = e->loc;
	vec_push(b->arena, &a->branches, w->branch);
	vec_push(b->arena, &b->plan->opens, e);
	w->pairing->period->listed = w->pairing->period->needs_time = true;
}

/* older D: where duration >= D */
static void open_older(struct build *b, struct way *w, const struct ast_stage *st)
{
	struct px *kids[] = { arena_new(b->arena, struct px), arena_new(b->arena, struct px) };
	struct px *e = arena_new(b->arena, struct px);
	int64_t ns;

	if ((!st->number && !st->number_expr) || !build_stage_number(b, st, &ns))
		return;
	*kids[0] = (struct px){ .op = PX_DURATION, .type = type_duration, .loc = st->loc };
	*kids[1] = (struct px){ .op = PX_NUMBER, .type = type_duration, .loc = st->loc, .number = ns };
	*e = (struct px){ .op = PX_BINARY, .c_op = OP_GE, .type = type_bool, .loc = st->loc,
			  .n_kids = 2, .kids = arena_array(b->arena, struct px *, 2) };
	memcpy(e->kids, kids, sizeof(kids));
	build_step(b, w->branch, STEP_WHERE, st->loc)->expr = e;
}

void build_open_stage(struct build *b, struct way *w, const struct ast_stage *st)
{
	if (!w->pairing) {
		diag_error(b->diag, DIAG_NO_PERIOD, st->loc, "an event is never open");
		diag_help(b->diag, "make periods of two events: from X to Y on KEY");
		return;
	}
	if (w->branch->query->first_n)
		diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
			   "'first' ends a run by its rows, 'open' has them at the end");
	open_older(b, w, st);
}

/* ---- threads that exit ---- */

void build_exit(struct build *b, struct pairing *p)
{
	const struct catalog *c = b->env->catalog;
	struct source_match *m = arena_new(b->arena, struct source_match);
	struct endpoint *e = arena_new(b->arena, struct endpoint);
	struct p_action *a = arena_new(b->arena, struct p_action);

	m->event = c->ops->event(c->self, str_of("sched"), str_of("sched_process_exit"));
	if (!m->event)
		return;
	m->attach = b->options->has.replay ? ATTACH_RECORD
		  : b->options->has.tp_btf && m->event->btf_id ? ATTACH_TP_BTF : ATTACH_TP_PERF;
	m->name = "sched:sched_process_exit";
	m->loc = p->period->loc;
	e->match = m;
	e->point = build_point(b, m);
	e->side.event = m->event;
	e->side.form = &e->point->form;
	e->side.name = m->name;
	e->loc = m->loc;
	a->kind = ACT_EXIT;
	a->period = p->period;
	a->loc = m->loc;
	a->keys = arena_array(b->arena, struct px *, 1);
	a->keys[0] = build_text(b, e, false, "current.tid as s64");
	vec_push(b->arena, &e->point->actions[ACT_EXIT], a);
}
