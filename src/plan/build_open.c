/*
 * The stage `open`: the rows are periods that have not ended. Nothing runs at their ends, and what is asked
 * of them is asked of their begins' records.
 */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"

static bool has_open(struct build *b, const ast_stages *stages, int n)
{
	for (int i = 0; i < n; i++)
		if (stages->v[i]->id == STAGE_OPEN && cond_holds(b->env, &stages->v[i]->cond))
			return true;
	return false;
}

void build_open_branches(struct build *b, struct p_query *q, b_branches *all, const ast_stages *stages,
			 int sink)
{
	b_branches kept = { 0 };

	q->open = has_open(b, stages, sink);
	for (int i = 0; i < all->n && !q->open; i++)
		q->open = has_open(b, &all->v[i]->stages, all->v[i]->stages.n);
	if (!q->open)
		return;
	for (int i = 0; i < all->n; i++) {
		bool known = false;

		for (int k = 0; k < kept.n; k++)
			known |= all->v[i]->period && kept.v[k]->period == all->v[i]->period;
		all->v[i]->open = all->v[i]->period != NULL;
		if (!known)
			vec_push(b->arena, &kept, all->v[i]);
	}
	*all = kept;
}

/* Something that runs here over each open begin of the branch's period. */
void build_open_row(struct build *b, struct b_branch *w)
{
	struct p_event *e = arena_new(b->arena, struct p_event);
	struct p_action *a = vec_add(b->arena, &e->actions);

	e->id = b->plan->opens.n;
	e->attach = ATTACH_OPEN;
	e->name = w->period->plan->name;
	e->loc = w->period->plan->loc;
	a->kind = ACT_OPEN;
	a->period = w->period->plan;
	a->loc = e->loc;
	vec_push(b->arena, &a->branches, w->plan);
	vec_push(b->arena, &b->plan->opens, e);
	w->period->plan->listable = w->period->plan->needs_time = true;
}

/* older D: where duration >= D */
static void open_older(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	struct px *kids[2], *e;

	if (!st->number && !st->number_expr)
		return;
	kids[0] = px_new(b->env, PX_DURATION, st->loc, &type_duration);
	kids[1] = px_number(b->env, st->loc, build_stage_number(b, st), &type_duration);
	e = px_node(b->env, PX_BINARY, st->loc, &type_bool, 2, kids);
	e->c_op = OP_GE;
	build_step(b, w->plan, STEP_WHERE, st->loc)->expr = e;
}

void build_open_stage(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	if (!w->period) {
		diag_error(b->diag, DIAG_NO_PERIOD, st->loc, "'open' needs periods: an event is never open");
		diag_help(b->diag, "make a period of two events: from X to Y on KEY");
		return;
	}
	if (w->plan->query->first_n)
		diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
			   "'first' cannot be used with 'open', whose rows come at the end of the run");
	open_older(b, w, st);
}
