/*
 * Does the program ask for what only debug information tells of a program's functions: names
 * and types of their parameters, what they return, structures? To read it takes 75 ms of libc's,
 * and most queries over calls have no use for it.
 */
#include "plan/build_source.h"

#include <string.h>

#include "plan/build_stage.h"

#define SPARE_DIGITS "012345"		/* arg0 .. arg5 */

struct walk {
	struct build *b;
	const struct ast_query *query;	/* NULL: in the definitions before */
	int stage;			/* of the query; -1: in a source */
	bool defs_split;
	/* Of this query so far: behind the stage that ends the rows names are columns. */
	bool ended, ends, splits;
	bool needs;
};

static bool is_spare(struct str name)
{
	return name.n == 4 && !memcmp(name.p, "arg", 3) && strchr(SPARE_DIGITS, name.p[3]);
}

/* A parameter that is not there is a mistake where it is used, not here. */
static bool holds(void *arg, const struct cond *c)
{
	struct check_env *env = ((struct walk *)arg)->b->env;

	return !cond_is_known(env, c) || cond_holds(env, c);
}

/* Or what a parameter or another name stands for. */
static bool may_be_function(const struct ast_source *s)
{
	for (; s; s = s->otherwise)
		if (s->kind != AS_SOURCE || memchr(s->text.p, '$', (size_t)s->text.n) ||
		    source_is_user_function(s->text))
			return true;
	return false;
}

static bool end_may_be_function(const struct ast_end *e)
{
	if (!e || may_be_function(e->source))
		return e;
	for (int i = 0; e->list && i < e->list->v.n; i++)
		if (end_may_be_function(e->list->v.v[i]))
			return true;
	return false;
}

/* The keys and conditions of tracepoints ask nothing of functions. */
static bool each_span(void *arg, const struct ast_span *s)
{
	(void)arg;
	return end_may_be_function(s->from) || end_may_be_function(s->via) || end_may_be_function(s->to);
}

/* ---- names that are a `let` ---- */

static bool lets_in(struct walk *w, const ast_stages *stages, int n, struct str name)
{
	for (int i = 0; i < n; i++) {
		const struct ast_stage *st = stages->v[i];

		if (st->id != STAGE_LET || !holds(w, &st->cond))
			continue;
		for (int k = 0; k < st->list.n; k++)
			if (str_eq(st->list.v[k].name, name) && holds(w, &st->list.v[k].cond))
				return true;
	}
	return false;
}

/* Do the rows of all their functions have it? Definitions that they name are looked at by themselves. */
static bool all_let(struct walk *w, const struct ast_sources *sources, struct str name)
{
	for (int i = 0; i < sources->v.n; i++)
		for (const struct ast_source *s = sources->v.v[i]; s; s = s->otherwise) {
			bool function = s->kind == AS_SPAN ? each_span(NULL, s->span)
					: s->kind == AS_SOURCE && may_be_function(s);

			if (lets_in(w, &s->stages, s->stages.n, name))
				continue;
			if (function || (s->group && !all_let(w, s->group, name)))
				return false;
		}
	return true;
}

static bool all_queries_let(struct walk *w, const struct ast_query *q, struct str name)
{
	bool all = !q->sources || all_let(w, q->sources, name);

	for (int i = 0; i < q->tables.n && all; i++)
		all = all_queries_let(w, q->tables.v[i].query, name);
	return all;
}

static bool is_let(struct walk *w, struct str name)
{
	const struct ast *ast = w->b->ast;
	bool all = true;

	if (!w->query || w->stage < 0)
		return false;
	if (lets_in(w, &w->query->stages, w->stage, name))
		return true;
	for (int i = 0; i < ast->defs.n && all; i++)
		all = lets_in(w, &ast->defs.v[i].stages, ast->defs.v[i].stages.n, name) ||
		      all_let(w, ast->defs.v[i].sources, name);
	for (int i = 0; i < ast->queries.n && all; i++)
		all = all_queries_let(w, ast->queries.v[i], name);
	return all;
}

static bool needs_name(const struct walk *w, struct str name)
{
	if (cat_is_reserved(name) || is_spare(name) || str_is(name, "current"))
		return false;
	return !w->splits || !(str_is(name, "parts") || str_is(name, "bars"));
}

static void look_at(struct walk *w, const struct ax *e)
{
	bool names = e->kind == AX_NAME || (e->kind == AX_SIDE && e->side != SIDE_CURRENT);

	w->needs = w->needs || e->kind == AX_AS_STRUCT ||
		  (names && needs_name(w, e->text) && !(e->kind == AX_NAME && is_let(w, e->text)));
	for (int i = 0; i < e->n_kids; i++)
		if (e->kids[i])
			look_at(w, e->kids[i]);
}

static void each_expr(void *arg, struct ax *e)
{
	struct walk *w = arg;

	if (!w->ended)
		look_at(w, e);
}

static bool shows_all(const struct ast_stage *st)
{
	return (st->id == STAGE_PRINT || st->id == STAGE_WORST) && !st->list.n;
}

static void each_stage(void *arg, struct ast_stage *st)
{
	struct walk *w = arg;
	bool ends = !w->ends && build_is_sink(w->b, st);

	w->stage = -1;
	for (int i = 0; w->query && i < w->query->stages.n; i++)
		if (w->query->stages.v[i] == st && !st->source && !st->parts.n)
			w->stage = i;
	w->ended = w->ends;
	w->ends |= ends;
	w->splits |= st->id == STAGE_SPLIT;
	w->defs_split |= !w->query && st->id == STAGE_SPLIT;
	w->needs |= ends && shows_all(st);
}

/* Without an end its rows are shown with all they have. */
static void each_query(void *arg, const struct ast_query *q)
{
	struct walk *w = arg;

	w->query = q;
	w->stage = -1;
	w->ended = w->ends = false;
	w->splits = w->defs_split;
	for (int i = 0; i < q->stages.n; i++)
		if (build_is_sink(w->b, q->stages.v[i]))
			return;
	w->needs |= !q->tables.n;
}

static const struct ast_sources *each_source(void *arg, const struct ast_source *s)
{
	struct build *b = ((struct walk *)arg)->b;

	return build_param_is_unset(b, s) ? NULL : build_param_sources(b, s);
}

static const struct ast_stage *each_parts(void *arg, const struct ast_stage *st)
{
	return build_param_parts(((struct walk *)arg)->b, st);
}

bool build_needs_debug_info(struct build *b)
{
	struct walk w = { .b = b };

	ast_walk(b->ast, &(struct ast_visitor){
		.expr = each_expr, .stage = each_stage, .query = each_query, .span = each_span,
		.holds = holds, .sources = each_source, .parts = each_parts, .arg = &w });
	return w.needs;
}
