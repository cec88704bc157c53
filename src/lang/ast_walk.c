/* A walk over the expressions and stages of a program; expressions compared. */
#include "lang/ast.h"

bool ax_equal(const struct ax *a, const struct ax *b)
{
	if (a->kind != b->kind || a->unit != b->unit || a->side != b->side || a->op != b->op
	    || a->number != b->number || a->real != b->real || a->n_kids != b->n_kids
	    || !str_eq(a->text, b->text))
		return false;
	for (int i = 0; i < a->n_kids; i++)
		if (!ax_equal(a->kids[i], b->kids[i]))
			return false;
	return true;
}

static void walk_expr(const struct ast_visitor *v, struct ax *e)
{
	if (e)
		v->expr(v->arg, e);
}

static bool holds(const struct ast_visitor *v, const struct cond *c)
{
	return !v->holds || v->holds(v->arg, c);
}

static void walk_list(const struct ast_visitor *v, const ax_list *l)
{
	for (int i = 0; i < l->n; i++)
		walk_expr(v, l->v[i]);
}

static void walk_sources(const struct ast_visitor *v, const struct ast_sources *s);
static void walk_source(const struct ast_visitor *v, const struct ast_source *s);

static void walk_parts(const struct ast_visitor *v, const struct ast_stage *st)
{
	for (int i = 0; i < st->parts.n; i++)
		walk_source(v, st->parts.v[i].source);
}

static void walk_stage(const struct ast_visitor *v, struct ast_stage *st)
{
	if (!holds(v, &st->cond))
		return;
	if (v->stage)
		v->stage(v->arg, st);
	walk_expr(v, st->expr);
	walk_list(v, &st->on);
	if (st->source)
		walk_source(v, st->source);
	if (st->id == STAGE_SPLIT && v->parts)
		walk_parts(v, v->parts(v->arg, st));
	else
		walk_parts(v, st);
	for (int i = 0; i < st->list.n; i++)
		if (holds(v, &st->list.v[i].cond))
			walk_expr(v, st->list.v[i].expr);
	for (int i = 0; i < st->aggs.n; i++) {
		if (!holds(v, &st->aggs.v[i].cond))
			continue;
		walk_list(v, &st->aggs.v[i].args);
		walk_expr(v, st->aggs.v[i].where);
	}
}

static void walk_end(const struct ast_visitor *v, const struct ast_end *e)
{
	if (!e)
		return;
	walk_expr(v, e->where);
	walk_list(v, &e->on);
	for (int i = 0; e->list && i < e->list->v.n; i++)
		walk_end(v, e->list->v.v[i]);
}

static void walk_source(const struct ast_visitor *v, const struct ast_source *s)
{
	for (; s; s = s->otherwise) {
		if (!holds(v, &s->cond))
			continue;
		if (s->span && (!v->span || v->span(v->arg, s->span))) {
			walk_end(v, s->span->from);
			walk_end(v, s->span->via);
			walk_end(v, s->span->to);
			walk_list(v, &s->span->on);
		}
		if (s->group)
			walk_sources(v, s->group);
		if (v->sources)
			walk_sources(v, v->sources(v->arg, s));
		for (int i = 0; i < s->stages.n; i++)
			walk_stage(v, s->stages.v[i]);
	}
}

static void walk_sources(const struct ast_visitor *v, const struct ast_sources *s)
{
	for (int i = 0; s && i < s->v.n; i++)
		walk_source(v, s->v.v[i]);
}

static void walk_query(const struct ast_visitor *v, const struct ast_query *q)
{
	if (v->query)
		v->query(v->arg, q);
	walk_sources(v, q->sources);
	for (int i = 0; i < q->stages.n; i++)
		walk_stage(v, q->stages.v[i]);
	for (int i = 0; i < q->tables.n; i++)
		walk_query(v, q->tables.v[i].query);
}

void ast_walk(const struct ast *ast, const struct ast_visitor *v)
{
	for (int i = 0; i < ast->defs.n; i++) {
		walk_sources(v, ast->defs.v[i].sources);
		for (int k = 0; k < ast->defs.v[i].stages.n; k++)
			walk_stage(v, ast->defs.v[i].stages.v[k]);
	}
	for (int i = 0; i < ast->queries.n; i++)
		walk_query(v, ast->queries.v[i]);
}
