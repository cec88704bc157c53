/*
 * The builder's entry: definitions, then each query, then what is decided last.
 * See build.h for the map of its files.
 */
#include "plan/build.h"

#include "lang/diag_tags.h"

/* Every name of the program: system calls that differ only in parameters that
 * nobody mentions are one class. */
static void collect_expr(struct build *b, const struct ax *e)
{
	if (!e)
		return;
	/* a member, because of NAME.FIELD of `in` */
	if (e->kind == AX_NAME || e->kind == AX_SIDE || e->kind == AX_MEMBER)
		*map_put_str(b->arena, &b->names, e->text) = b;
	for (int i = 0; i < e->n_kids; i++)
		collect_expr(b, e->kids[i]);
}

static void collect_list(struct build *b, const ax_list *l)
{
	for (int i = 0; i < l->n; i++)
		collect_expr(b, l->v[i]);
}

static void collect_sources(struct build *b, const struct ast_sources *s);
static void collect_source(struct build *b, const struct ast_source *s);

static void collect_stage(struct build *b, const struct ast_stage *st)
{
	collect_expr(b, st->expr);
	collect_list(b, &st->on);
	if (st->source)
		collect_source(b, st->source);
	for (int i = 0; i < st->parts.n; i++)
		collect_source(b, st->parts.v[i].source);
	for (int i = 0; i < st->list.n; i++)
		collect_expr(b, st->list.v[i].expr);
	for (int i = 0; i < st->aggs.n; i++) {
		collect_list(b, &st->aggs.v[i].args);
		collect_expr(b, st->aggs.v[i].where);
	}
}

static void collect_end(struct build *b, const struct ast_end *e)
{
	if (!e)
		return;
	collect_expr(b, e->where);
	collect_list(b, &e->on);
	for (int i = 0; e->list && i < e->list->v.n; i++)
		collect_end(b, e->list->v.v[i]);
}

static void collect_source(struct build *b, const struct ast_source *s)
{
	for (; s; s = s->otherwise) {
		if (s->span) {
			collect_end(b, s->span->from);
			collect_end(b, s->span->via);
			collect_end(b, s->span->to);
			collect_list(b, &s->span->on);
		}
		if (s->group)
			collect_sources(b, s->group);
		for (int i = 0; i < s->stages.n; i++)
			collect_stage(b, s->stages.v[i]);
	}
}

static void collect_sources(struct build *b, const struct ast_sources *s)
{
	for (int i = 0; s && i < s->v.n; i++)
		collect_source(b, s->v.v[i]);
}

static void collect_query(struct build *b, const struct ast_query *q)
{
	collect_sources(b, q->sources);
	for (int i = 0; i < q->stages.n; i++)
		collect_stage(b, q->stages.v[i]);
	for (int i = 0; i < q->tables.n; i++)
		collect_query(b, q->tables.v[i].query);
}

static void collect_defs(struct build *b)
{
	for (int i = 0; i < b->ast->defs.n; i++) {
		struct ast_def *d = &b->ast->defs.v[i];
		void **slot = map_put_str(b->arena, &b->defs, d->name);

		if (*slot)
			diag_error(b->diag, DIAG_DUPLICATE_DEF, d->loc, "'%.*s' is defined already",
				   STR_ARG(d->name));
		*slot = d;
		collect_sources(b, d->sources);
		for (int k = 0; k < d->stages.n; k++)
			collect_stage(b, d->stages.v[k]);
	}
}

static bool param_number(void *arg, struct str name, int64_t *value)
{
	const struct build *b = arg;

	for (int i = 0; i < b->env->params.n; i++)
		if (str_eq(b->env->params.v[i].name, name) && b->env->params.v[i].value)
			return px_is_number(b->env->params.v[i].value, value);
	return false;
}

struct plan *plan_build(struct check_env *env, const struct ast *ast)
{
	struct build b = {
		.env = env, .arena = env->arena, .diag = env->diag, .options = env->options,
		.ast = ast,
	};

	b.source_env = (struct source_env){ env->arena, env->diag, env->catalog, env->options,
					    param_number, &b };
	b.plan = arena_new(b.arena, struct plan);
	b.plan->arena = b.arena;
	b.plan->catalog = env->catalog;
	b.plan->event_names = arena_new(b.arena, struct enum_desc);
	collect_defs(&b);
	for (int i = 0; i < ast->queries.n; i++)
		collect_query(&b, ast->queries.v[i]);
	for (int i = 0; i < ast->queries.n; i++)
		build_query(&b, ast->queries.v[i], false);
	if (!env->diag->errors)
		build_finish(&b);
	return env->diag->errors ? NULL : b.plan;
}
