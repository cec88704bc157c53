/*
 * Queries: row stages, checked for each kind of rows (branch) in its own scope. The
 * sinks are in build_sink.c, what follows them in build_table.c.
 */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"
#include "plan/build_event.h"
#include "plan/build_scope.h"
#include "plan/build_sink.h"
#include "plan/build_source.h"

/* ---- fields that another kind of rows has ---- */

#define NONES_NAMED 3

struct others {
	struct build *build;
	struct p_query *query;
	const b_branches *all;
	VEC(struct str) said;
};

static bool branch_has(const struct b_branch *w, struct str name, struct type *type)
{
	const struct scope *s = &w->scope;

	return check_side_has(s, &s->end, name, type)
	       || (s->period && check_side_has(s, &s->begin, name, type));
}

/* "fd is none in openat, creat and 3 more", once a name. */
static void say_none(struct others *o, struct str name)
{
	struct arena *a = o->build->arena;
	struct buf b = { 0 };
	struct type type;
	int named = 0, more = 0;

	for (int i = 0; i < o->said.n; i++)
		if (str_eq(o->said.v[i], name))
			return;
	vec_push(a, &o->said, name);
	buf_printf(&b, "%.*s is none in ", STR_ARG(name));
	for (int i = 0; i < o->all->n; i++) {
		const struct b_branch *w = o->all->v[i];
		const struct side *d = &w->scope.end;

		/* Of calls the scope's begin is that of the first: a return knows its own. */
		if (d->syscall && d->is_return ? check_side_has(&w->scope, d, name, &type)
					       : branch_has(w, name, &type))
			continue;
		more += w->end->calls && d->many_syscalls ? w->end->calls->n : 1;
		if (named == NONES_NAMED)
			continue;
		buf_printf(&b, "%s%s", named++ ? ", " : "",
			   d->syscall ? d->syscall->name : d->name);
		more--;
	}
	if (more)
		buf_printf(&b, " and %d more", more);
	if (named)
		vec_push(a, &o->query->nones, arena_strdup(a, b.p));
	buf_fini(&b);
}

static bool elsewhere(struct scope *s, struct str name, struct type *type)
{
	struct others *o = s->elsewhere_arg;

	for (int i = 0; i < o->all->n; i++)
		if (&o->all->v[i]->scope != s && branch_has(o->all->v[i], name, type)) {
			say_none(o, name);
			return true;
		}
	return false;
}

static bool everywhere(struct scope *s, struct str name)
{
	struct others *o = s->elsewhere_arg;
	struct type type;

	for (int i = 0; i < o->all->n; i++) {
		const struct b_branch *w = o->all->v[i];

		if (w->end->match->calls.n ? !build_calls_have(w->end->match, name)
		    : w->end->side.function ? !branch_has(w, name, &type)
		    : !check_side_has(&w->scope, &w->scope.end, name, &type))
			return false;
	}
	return true;
}

/* ---- row stages ---- */

static void row_let(struct build *b, struct b_branch *w, const struct ast_stage *st)
{
	for (int i = 0; i < st->list.n; i++) {
		const struct named_expr *l = &st->list.v[i];
		struct p_step *s;
		struct px *e;

		if (!cond_holds(b->env, &l->cond))
			continue;
		for (int k = 0; k < w->scope.lets.n; k++)
			if (str_eq(w->scope.lets.v[k].name, l->name))
				diag_error(b->diag, DIAG_DUPLICATE_COLUMN, l->loc,
					   "there is already a column '%.*s'", STR_ARG(l->name));
		e = check_expr(&w->scope, l->expr);
		s = build_step(b, w->plan, STEP_LET, l->loc);
		s->expr = e;
		s->let = w->plan->n_lets++;
		vec_push(b->arena, &w->scope.lets,
			 ((struct scope_let){ l->name, s->let, e->type, e->may_none || e->op == PX_NONE }));
	}
}

/* Globals of a query's stage are shared by all its branches. */
static int stage_global(struct build *b, struct p_query *q, const struct ast_stage *st)
{
	for (int i = 0; i < q->branches.n; i++)
		for (int k = 0; k < q->branches.v[i]->steps.n; k++) {
			const struct p_step *s = &q->branches.v[i]->steps.v[k];

			if (s->loc.text == st->loc.text && s->loc.at == st->loc.at && s->global >= 0)
				return s->global;
		}
	return b->plan->n_globals++;
}

static void row_first(struct build *b, struct p_query *q, struct b_branch *w,
		      const struct ast_stage *st)
{
	int global = stage_global(b, q, st);
	struct p_step *s = build_step(b, w->plan, STEP_FIRST, st->loc);

	s->n = q->first_n = (uint64_t)build_stage_number(b, st);
	s->global = global;
	q->g_first = global;
}

static void row_sample(struct build *b, struct p_query *q, struct b_branch *w,
		       const struct ast_stage *st)
{
	int64_t n = build_stage_number(b, st);
	struct p_step *s;
	int global = -1;
	struct px *key = NULL;

	if (st->on.n)
		key = check_expr(&w->scope, st->on.v[0]);
	else
		global = stage_global(b, q, st);
	s = build_step(b, w->plan, STEP_SAMPLE, st->loc);
	s->n = (uint64_t)n;
	s->expr = key;
	s->global = global;
	if (key && !type_is_word(&key->type) && key->type.kind != TY_POISON)
		diag_error(b->diag, DIAG_NOT_A_NUMBER, key->loc, "the key of 'sample' must be a number");
}

static void row_stage(struct build *b, struct p_query *q, struct b_branch *w,
		      const struct ast_stage *st)
{
	if (!cond_holds(b->env, &st->cond))
		return;
	switch (st->id) {
	case STAGE_WHERE: case STAGE_IN: build_row_stage(b, w, st); break;
	case STAGE_LET: row_let(b, w, st); break;
	case STAGE_FIRST: row_first(b, q, w, st); break;
	case STAGE_SAMPLE: row_sample(b, q, w, st); break;
	case STAGE_SPLIT: build_split_stage(b, w, st); break;
	case STAGE_OPEN: build_open_stage(b, w, st); break;
	}
}

/* ---- the query ---- */

static void make_branches(struct build *b, struct p_query *q, b_branches *all)
{
	struct others *o = arena_new(b->arena, struct others);

	*o = (struct others){ .build = b, .query = q, .all = all };
	for (int i = 0; i < all->n; i++) {
		struct b_branch *w = all->v[i];

		w->plan = arena_new(b->arena, struct p_branch);
		w->plan->query = q;
		w->plan->period = w->period ? w->period->plan : NULL;
		if (w->period)
			w->period->n_branches++;
		w->scope = w->open ? build_open_scope(b, w->period)
			 : w->period ? build_period_scope(b, w->period, w->end)
				      : build_event_scope(b, w->end);
		w->plan->event_is_syscall = w->end->side.syscall != NULL;
		w->plan->event_is_cookie = w->end->side.many_functions;
		w->scope.elsewhere_arg = o;
		if (all->n > 1)
			w->scope.elsewhere = elsewhere;
		if (all->n > 1 || w->end->match->calls.n > 1)
			w->scope.everywhere = everywhere;
		vec_push(b->arena, &q->branches, w->plan);
		if (!w->period) {
			struct p_action *a = arena_new(b->arena, struct p_action);

			a->kind = ACT_ROW;
			a->calls = w->end->calls;
			a->at_return = w->end->at_return;
			a->loc = w->end->loc;
			vec_push(b->arena, &w->end->event->actions[ACT_ROW], a);
			w->end->plan = a;
			vec_push(b->arena, &b->rows, w->end);
		}
		if (w->open)
			build_open_row(b, w);
		else if (w->end->plan)
			vec_push(b->arena, &w->end->plan->branches, w->plan);
	}
}

/* Conditions left no source: of several queries the others stay. */
static void leave_out(struct build *b, const struct p_query *q, const struct ast_query *ast)
{
	if (b->diag->errors)
		return;
	if (q->is_part || b->ast->queries.n == 1)
		diag_error(b->diag, DIAG_NO_EVENT, ast->loc, "no source is left: their 'if' excludes all of them");
	else
		b->plan->queries.n--;
}

static void build_rows(struct build *b, struct p_query *q, const struct ast_query *ast)
{
	const struct ast_stage *sink;
	int at = build_find_sink(b, &ast->stages, &sink);
	b_branches all = { 0 };

	build_branches(b, ast->sources, &all);
	if (!all.n) {
		for (int i = 0; sink && i < sink->aggs.n; i++)
			if (!agg_find(b->env->registry, sink->aggs.v[i].func, NULL))
				build_unknown_aggregation(b, &sink->aggs.v[i]);
		leave_out(b, q, ast);
		return;
	}
	build_open_branches(b, q, &all, &ast->stages, at);
	make_branches(b, q, &all);
	build_name_events(b);
	for (int i = 0; i < all.n; i++) {
		for (int k = 0; k < all.v[i]->stages.n; k++)
			row_stage(b, q, all.v[i], all.v[i]->stages.v[k]);
		for (int k = 0; k < at; k++)
			row_stage(b, q, all.v[i], ast->stages.v[k]);
	}
	if (!sink || sink->id == STAGE_PRINT)
		build_print(b, q, &all, sink);
	else if (sink->id == STAGE_AGGS)
		build_aggs(b, q, &all, sink);
	else if (sink->id == STAGE_WORST)
		build_worst(b, q, &all, sink);
	else
		build_tree(b, q, &all, sink);
	build_over_sink(b, q, &all, sink);
	if (sink)
		build_table_stages(b, q, &ast->stages, at + 1);
}

struct p_query *build_query(struct build *b, const struct ast_query *ast, bool is_part)
{
	struct p_query *q = arena_new(b->arena, struct p_query);

	q->index = b->plan->queries.n;
	q->loc = ast->loc;
	q->is_part = is_part;
	q->c_lost = q->c_kept_back = q->c_dropped = q->c_no_bucket = -1;
	q->c_cut = q->c_absent = q->c_div_zero = -1;
	vec_push(b->arena, &b->plan->queries, q);
	if (ast->tables.n)
		build_join(b, q, ast);
	else
		build_rows(b, q, ast);
	return q;
}
