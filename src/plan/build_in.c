/*
 * The stage `in`: rows while another period is open. It is looked up at the row, or of a keyed period at
 * its begin, whose thread is the one that is meant. The stages of that period are asked at its begin:
 * these are `where` and `in`.
 */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"
#include "plan/build_period.h"
#include "plan/build_scope.h"
#include "plan/build_source.h"
#include "plan/func.h"

/* What one `in` names: periods, any of which may be open. */
struct in {
	struct build *build;
	struct b_branch *branch;
	struct str name;
	struct loc loc;
	const ax_list *on;
	VEC(struct in_period {
		struct b_period *period;
		int cond_slot;			/* of its own stages: not 0; -1: none */
		struct px *itself;		/* is the row one of them? NULL: no */
		int itself_slot;		/* the same stages, asked at the row's begin */
	}) periods;
	struct in *outer;			/* of the stage before */
};

static struct p_look *look_on(struct build *b, const struct in *in, struct b_period *p)
{
	struct p_look *look = arena_new(b->arena, struct p_look);
	struct p_period *period = p->plan;
	struct scope *scope = &in->branch->scope;
	void *in_arg = scope->in_arg;

	look->period = period;
	look->by_key = period->looked_up = true;
	if (p->same_thread || in->on->n != period->n_keys) {
		diag_error(b->diag, DIAG_KEY_COUNT, in->loc, "%s has %d key%s, but here are %d",
			   period->name, period->n_keys, period->n_keys == 1 ? "" : "s", in->on->n);
		return look;
	}
	look->keys = arena_array(b->arena, struct px *, in->on->n);
	scope->in_arg = in->outer;	/* what finds it can't be its own */
	for (int i = 0; i < in->on->n; i++) {
		look->keys[i] = check_expr(scope, in->on->v[i]);
		if (look->keys[i]->type.kind != TY_POISON
		    && type_is_word(&look->keys[i]->type) != type_is_word(&period->key_types[i]))
			diag_error(b->diag, DIAG_KEY_TYPE, in->on->v[i]->loc,
				   "a key of type %s cannot be compared with a key of type %s",
				   type_name(&look->keys[i]->type), type_name(&period->key_types[i]));
	}
	scope->in_arg = in_arg;
	return look;
}

/* Is it asked at the row, or at the begin of the row's period? */
static bool at_row(const struct in *in)
{
	return in->on->n || !in->branch->period || (in->branch->period->same_thread && !in->branch->open);
}

/* op at one place, where the period is found by look. */
static struct px *value_at(struct build *b, const struct in *in, const struct in_period *p,
			   struct p_look *look, int op, int slot)
{
	struct type type = op == PX_OPEN ? type_bool : op == PX_OPEN_TIME ? type_time
			 : op == PX_OPEN_DEPTH ? type_int : p->period->plan->slots.v[slot].type;
	struct px *e = px_new(b->env, op, in->loc, &type);

	e->look = look;
	e->index = slot;
	e->may_none = true;
	return e;
}

/* The same for the row, through a slot of its own begin where that is where to ask. */
static struct px *value(const struct in *in, const struct in_period *p, int op, int slot)
{
	struct build *b = in->build;
	struct b_period *row = in->branch->period;
	struct p_slot kept = { .may_none = true };
	struct px **values;

	if (in->on->n)
		return value_at(b, in, p, look_on(b, in, p->period), op, slot);
	if (at_row(in))
		return value_at(b, in, p, build_look(b, p->period, in->branch->end), op, slot);
	values = arena_array(b->arena, struct px *, row->begins.n + row->vias.n);
	for (int i = 0; i < row->begins.n; i++)
		values[i] = value_at(b, in, p, build_look(b, p->period, &row->begins.v[i]), op, slot);
	if (!row->begins.n)		/* a mistake that was told */
		return px_none(b->env, in->loc);
	kept.type = values[0]->type;
	return px_slot(b->env, row->plan, build_slot(b, row, kept, values), in->loc);
}

static bool is_open_name(const struct in *in, const struct ax *e)
{
	return e->kind == AX_MEMBER && e->kids[0]->kind == AX_NAME
		&& str_eq(e->kids[0]->text, in->name);
}

/* Is e made of fields of this name alone, so that it can be evaluated at the begin? How long it is open can't. */
static bool is_of_open(const struct in *in, const struct ax *e, bool *any)
{
	if (is_open_name(in, e)) {
		*any = true;
		return !str_is(e->text, "duration") && !str_is(e->text, "depth");
	}
	if (e->kind == AX_NAME || e->kind == AX_SIDE)
		return false;
	for (int i = 0; i < e->n_kids; i++)
		if (!is_of_open(in, e->kids[i], any))
			return false;
	return true;
}

/* A field of this name, or what reads memory behind one. Arithmetic beside it is the row's. */
static bool is_open_value(const struct in *in, const struct ax *e)
{
	bool any = false;

	if (e->kind != AX_MEMBER && e->kind != AX_INDEX && e->kind != AX_AS_STRUCT && e->kind != AX_AS_INT
	    && (e->kind != AX_CALL || !func_reads_memory(in->build->env->registry, e->text)))
		return false;
	return is_open_name(in, e) || (is_of_open(in, e, &any) && any);
}

/* NAME.X as X reads at the begin of the other period. */
static struct ax *at_open(struct build *b, const struct in *in, const struct ax *e)
{
	struct ax *copy = arena_new(b->arena, struct ax);

	*copy = *e;
	if (is_open_name(in, e)) {
		copy->kind = AX_NAME;
		copy->n_kids = 0;
		return copy;
	}
	copy->kids = arena_array(b->arena, struct ax *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++)
		copy->kids[i] = at_open(b, in, e->kids[i]);
	return copy;
}

static struct px *time_of(const struct in *in, const struct in_period *p, bool duration)
{
	struct build *b = in->build;
	struct px *now, *time = value(in, p, PX_OPEN_TIME, -1), *e;

	p->period->plan->needs_time = true;
	if (!duration)
		return time;
	now = px_new(b->env, PX_COMMON, in->loc, &type_time);
	now->common = COMMON_TIME;
	e = px_node(b->env, PX_BINARY, in->loc, &type_duration, 2, (struct px *[]){ now, time });
	e->c_op = OP_SUB;
	return e;
}

static struct px *choose(struct build *b, struct px *cond, struct px *yes, struct px *no)
{
	struct px *e = px_node(b->env, PX_COND, cond->loc, &yes->type, 3,
			       (struct px *[]){ cond, yes, no });

	e->may_none = yes->may_none || no->may_none;
	return e;
}

static struct px *other_field_of(const struct in *in, const struct in_period *p,
				 const struct ax *e, const struct ax *asked);

/* Is each row itself one of the periods? */
static bool is_always(const struct px *itself)
{
	return itself && itself->op == PX_NUMBER;
}

/* What a row that is one of the period's calls knows of itself. */
static struct px *field_of_row(const struct in *in, const struct ax *e, const struct ax *asked)
{
	struct scope *s = &in->branch->scope;

	return is_open_name(in, e) && (str_is(asked->text, "duration") || check_is_depth(s, asked->text))
		? check_expr(s, asked) : s->keep(s, asked);
}

static struct px *field_of(const struct in *in, const struct in_period *p, const struct ax *e)
{
	struct ax *asked = at_open(in->build, in, e);
	struct px *of_row, *other;

	if (is_always(p->itself))
		return field_of_row(in, e, asked);
	other = other_field_of(in, p, e, asked);
	if (!p->itself)
		return other;
	of_row = field_of_row(in, e, asked);
	return other ? choose(in->build, p->itself, of_row, other) : of_row;
}

/* A thread is in one system call at a time: it is open, 1, less itself. */
static struct px *depth_of(const struct in *in, const struct in_period *p)
{
	struct check_env *env = in->build->env;
	struct px *e;

	if (p->period->begins.v[0].side.function) {
		p->period->plan->needs_depth = true;
		return value(in, p, PX_OPEN_DEPTH, -1);
	}
	e = px_node(env, PX_BINARY, in->loc, &type_int, 2, (struct px *[]){
		value(in, p, PX_OPEN, -1), px_number(env, in->loc, 1, &type_int) });
	e->c_op = OP_SUB;
	return e;
}

static struct px *other_field_of(const struct in *in, const struct in_period *p,
				 const struct ax *e, const struct ax *asked)
{
	struct scope at_begin = { .env = in->build->env, .begin = p->period->begins.v[0].side,
				  .period = p->period->plan };
	int slot;

	if (is_open_name(in, e) && check_is_depth(&at_begin, asked->text))
		return depth_of(in, p);
	if (is_open_name(in, e) && (str_is(asked->text, "duration") || str_is(asked->text, "time")))
		return time_of(in, p, str_is(asked->text, "duration"));
	slot = build_keep_slot(in->build, p->period, asked);
	if (p->period->plan->slots.v[slot].type.kind == TY_NONE)
		return NULL;
	return value(in, p, PX_OPEN_SLOT, slot);
}

/* The callback of the checker. */
static struct px *in_value(struct scope *s, const struct ax *e)
{
	for (const struct in *in = s->in_arg; in; in = in->outer) {
		struct px *found = NULL;

		if (!is_open_value(in, e))
			continue;
		for (int i = 0; i < in->periods.n; i++)
			found = px_else(s->env, found, field_of(in, &in->periods.v[i], e));
		return found ? found : px_none(s->env, e->loc);
	}
	return NULL;
}

static void row_where(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	struct ax *e = where_prune(b->env, st->expr);
	struct px *cond;
	int64_t v;

	if (!e)
		return;
	cond = check_cond(&w->scope, e);
	if (px_is_number(cond, &v) && v)
		return;
	build_early_where(b, w, e);
	build_step(b, w->plan, STEP_WHERE, st->loc)->expr = cond;
	build_warn_empty(b, w->plan);
}

/*
 * The stages of a period that something is inside of, or that is a part: they are asked
 * at its begin. The number of the slot that says whether they hold, -1: no stages.
 */
int build_begin_cond(struct build *b, struct b_branch *w)
{
	struct b_period *p = w->period;
	struct p_slot slot = { .type = type_bool, .may_none = true };
	struct px **values = arena_array(b->arena, struct px *, p->begins.n + p->vias.n);

	if (!w->stages.n)
		return -1;
	for (int i = 0; i < p->conds.n; i++)
		if (p->conds.v[i].first == w->stages.v[0] && p->conds.v[i].n == w->stages.n)
			return p->conds.v[i].slot;
	for (int i = 0; i < p->begins.n; i++) {
		struct b_branch at = { .end = &p->begins.v[i], .plan = arena_new(b->arena, struct p_branch) };
		struct px *all = NULL;

		at.scope = build_event_scope(b, at.end);
		for (int k = 0; k < w->stages.n; k++) {
			const struct ast_stage *st = w->stages.v[k];

			if (st->id == STAGE_WHERE || st->id == STAGE_IN)
				build_row_stage(b, &at, st);
			else
				diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
					   "a period for 'in' is tested at its begin: only 'where' and 'in' are possible");
		}
		for (int k = 0; k < at.plan->steps.n; k++)
			all = px_both(b->env, OP_AND, all, at.plan->steps.v[k].expr);
		values[i] = all ? all : px_bool(b->env, p->plan->loc, true);
	}
	vec_push(b->arena, &p->conds, ((struct begin_cond){ w->stages.v[0], w->stages.n,
							    build_slot(b, p, slot, values) }));
	return vec_last(&p->conds).slot;
}

static void add_in_period(struct build *b, struct in *in, struct b_branch *w)
{
	struct in_period found = { .period = w->period, .itself_slot = -1 };

	if (!w->period) {
		diag_error(b->diag, DIAG_NO_PERIOD, in->loc, "'in' needs a period: an event is never open");
		return;
	}
	for (int i = 0; i < in->periods.n; i++)
		if (in->periods.v[i].period == w->period)
			return;
	if (!w->period->begins.n || !w->period->ends.n
	    || (!in->on->n && !build_itself(b, in->branch, w->period, in->loc, &found.itself)))
		return;
	found.cond_slot = build_begin_cond(b, w);
	if (found.itself) {
		struct b_branch of_row = { .period = in->branch->period, .stages = w->stages };

		found.itself_slot = build_begin_cond(b, &of_row);
	}
	vec_push(b->arena, &in->periods, found);
	if (in->branch->period && in->branch->period != w->period
	    && w->period->plan->rank <= in->branch->period->plan->rank)
		w->period->plan->rank = in->branch->period->plan->rank + 1;
}

/* A row that is one itself is asked for itself, another for the latest that is open. */
static struct px *is_in(const struct in *in, const struct in_period *p)
{
	struct build *b = in->build;
	struct px *open, *of_row = NULL;

	if (p->itself)
		of_row = p->itself_slot < 0 ? px_bool(b->env, in->loc, true)
		    : px_slot(b->env, in->branch->period->plan, p->itself_slot, in->loc);
	if (is_always(p->itself))
		return of_row;
	open = p->cond_slot < 0 ? value(in, p, PX_OPEN, -1)
				: value(in, p, PX_OPEN_SLOT, p->cond_slot);
	return of_row ? choose(b, p->itself, of_row, open) : open;
}

/* The period's begin and thread, as keys that are not shown. */
static void stage_over(struct in *in, const struct ast_stage *st)
{
	struct build *b = in->build;
	struct b_branch *w = in->branch;
	struct px *time = NULL, *thread = NULL;
	int64_t ns = build_over_ns(b, st);

	if (!ns)
		return;
	for (int i = 0; i < in->periods.n; i++) {
		const struct in_period *p = &in->periods.v[i];

		if (p->itself || !w->plan->query || w->hidden[0]) {
			diag_error(b->diag, DIAG_STAGE_ORDER, st->loc, p->itself
				   ? "with 'over' no row can be itself one of the periods"
				   : "a query can have one 'in .. over', and what is named behind 'in' none");
			return;
		}
		time = px_else(b->env, time, time_of(in, p, false));
		thread = px_else(b->env, thread, value(in, p, PX_OPEN_SLOT,
						       build_keep_slot(b, p->period, build_over_thread(b))));
	}
	w->hidden[0] = time;
	w->hidden[1] = thread;
	build_over(b, w->plan->query, st, ns);
}

/* `in $NAME` without a value is left out, as the terms of a `where` are. */
static bool is_left_out(struct build *b, const struct ast_stage *st)
{
	if (!build_param_is_unset(b, st->source))
		return false;
	if (build_over_ns(b, st))
		diag_error(b->diag, DIAG_PARAM_VALUE, st->loc, "over what? %.*s has no value",
			   STR_ARG(st->source->text));
	return true;
}

void build_in_stage(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	struct in *in = arena_new(b->arena, struct in);
	struct px *any = NULL;
	b_branches found = { 0 };

	if (is_left_out(b, st))
		return;
	*in = (struct in){ .build = b, .branch = w, .name = build_source_name(st->source), .loc = st->loc,
			   .on = &st->on, .outer = w->scope.in_arg };
	if (w->open && st->on.n) {
		diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
			   "with 'open', 'in' goes by the thread: leave out 'on'");
		return;
	}
	for (int i = 0; i < b->open_ins.n; i++)
		if (b->open_ins.v[i] == st) {
			diag_error(b->diag, DIAG_RECURSIVE_DEF, st->loc,
				   "this 'in' refers to itself");
			return;
		}
	vec_push(b->arena, &b->open_ins, st);
	build_source_branches(b, st->source, &found);
	for (int i = 0; i < found.n; i++)
		add_in_period(b, in, found.v[i]);
	b->open_ins.n--;
	if (!in->periods.n)
		return;
	stage_over(in, st);
	w->scope.in_value = in_value;
	w->scope.in_arg = in;
	for (int i = 0; i < in->periods.n; i++) {
		const struct in_period *p = &in->periods.v[i];

		if (is_always(p->itself) && p->itself_slot < 0)
			return;
		any = px_both(b->env, OP_OR, any, is_in(in, p));
	}
	build_step(b, w->plan, STEP_WHERE, st->loc)->expr = any;
}

void build_row_stage(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	if (!cond_holds(b->env, &st->cond))
		return;
	if (st->id == STAGE_WHERE)
		row_where(b, w, st);
	else
		build_in_stage(b, w, st);
}
