/* The builder's first pass: definitions, then each query. See build.h for the map of its files. */
#include "plan/build_source.h"

#include "lang/diag_tags.h"
#include "plan/build_stage.h"

/* Every name of the program: system calls that differ only in parameters that
 * nobody mentions are one class. */
static void collect_names(void *arg, struct ax *e)
{
	struct build *b = arg;

	/* a member, because of NAME.FIELD of `in` */
	if (e->kind == AX_NAME || e->kind == AX_SIDE || e->kind == AX_MEMBER)
		*map_put_str(b->arena, &b->names, e->text) = b;
	for (int i = 0; i < e->n_kids; i++)
		if (e->kids[i])
			collect_names(b, e->kids[i]);
}

static const struct ast_sources *names_of_source(void *arg, const struct ast_source *s)
{
	return build_param_is_unset(arg, s) ? NULL : build_param_sources(arg, s);
}

static const struct ast_stage *names_of_parts(void *arg, const struct ast_stage *st)
{
	return build_param_parts(arg, st);
}

static void collect_defs(struct build *b)
{
	for (int i = 0; i < b->ast->defs.n; i++) {
		struct ast_def *d = &b->ast->defs.v[i];
		void **slot = map_put_str(b->arena, &b->defs, d->name);

		if (*slot)
			diag_error(b->diag, DIAG_DUPLICATE_DEF, d->loc, "'%.*s' is already defined: choose another name",
				   STR_ARG(d->name));
		*slot = d;
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

struct build *build_begin(struct check_env *env, const struct ast *ast)
{
	struct build *b = arena_new(env->arena, struct build);

	*b = (struct build){
		.env = env, .arena = env->arena, .diag = env->diag, .options = env->options,
		.ast = ast,
	};
	b->source_env = (struct source_env){
		.arena = env->arena, .diag = env->diag, .catalog = env->catalog, .options = env->options,
		.number = param_number, .arg = b };
	b->plan = arena_new(b->arena, struct plan);
	b->plan->arena = b->arena;
	b->plan->catalog = env->catalog;
	b->plan->event_names = arena_new(b->arena, struct enum_desc);
	return b;
}

void build_queries(struct build *b)
{
	collect_defs(b);
	ast_walk(b->ast, &(struct ast_visitor){
		.expr = collect_names, .sources = names_of_source, .parts = names_of_parts,
		.arg = b });
	b->source_env.params = build_needs_debug_info(b);
	for (int i = 0; i < b->ast->queries.n; i++)
		build_query(b, b->ast->queries.v[i], false);
	if (!b->diag->errors && !b->plan->queries.n)
		diag_error(b->diag, DIAG_NO_EVENT, b->ast->queries.v[0]->loc,
			   "no query has a source left: their 'if' excludes all of them");
}
