/*
 * Parameters that are a piece of the program: `where $filter`, `print time, $columns`,
 * `$percentiles(duration)`.
 *
 * What was given takes the parameter's place in the syntax, before anything is resolved: it
 * means what it would mean written there, and is as fast.
 */
#include "lang/diag_tags.h"
#include "plan/param.h"

static const struct param *find_param(const struct check_env *env, struct str name)
{
	for (int i = 0; i < env->params.n; i++)
		if (str_eq(env->params.v[i].name, name))
			return &env->params.v[i];
	return NULL;
}

static const struct param *param_of(const struct check_env *env, const struct ax *e)
{
	return e->kind == AX_PARAM ? find_param(env, e->text) : NULL;
}

static bool is_columns(const struct param *p)
{
	return p && str_is(p->type_name, "columns");
}

static void splice_expr(void *arg, struct ax *e)
{
	struct check_env *env = arg;
	const struct param *p = param_of(env, e);

	if (is_columns(p)) {
		diag_error(env->diag, DIAG_PARAM_TYPE, e->loc,
			   "$%.*s stands for columns: use it only alone, in the list of a print",
			   STR_ARG(p->name));
	} else if (p && p->expr) {
		*e = *p->expr;
		return;			/* no parameters inside of parameters */
	}
	for (int i = 0; i < e->n_kids; i++)
		if (e->kids[i])
			splice_expr(env, e->kids[i]);
}

/* The format is that of both, or there is none and the rows are a table. */
static void splice_format(struct check_env *env, struct ast_stage *st, const struct ast_stage *given)
{
	if (!st->format.p)
		return;
	if (!given || !given->format.p) {
		st->format = (struct str){ 0 };
		return;
	}
	st->format = str_of(arena_printf(env->arena, "%.*s%.*s", STR_ARG(st->format),
					 STR_ARG(given->format)));
	st->format_loc = given->format_loc;
}

static void splice_columns(struct check_env *env, struct ast_stage *st)
{
	named_exprs list = { 0 };
	bool found = false;

	for (int i = 0; i < st->list.n; i++) {
		const struct named_expr *column = &st->list.v[i];
		const struct param *p = column->expr ? param_of(env, column->expr) : NULL;

		if (!is_columns(p)) {
			vec_push(env->arena, &list, *column);
			continue;
		}
		found = true;
		splice_format(env, st, p->columns);
		for (int k = 0; p->columns && k < p->columns->list.n; k++)
			vec_push(env->arena, &list, p->columns->list.v[k]);
	}
	if (found)
		st->list = list;
}

bool params_next(struct str *rest, struct str *one)
{
	const char *comma = rest->n ? memchr(rest->p, ',', (size_t)rest->n) : NULL;

	*one = str_sub(*rest, 0, comma ? (int)(comma - rest->p) : rest->n);
	*rest = str_sub(*rest, one->n + (comma != NULL), -1);
	return one->n || comma;
}

/* "50,99.9" of a duration is p50 and p99.9 of it; not given it is nothing. */
static void add_percentiles(struct check_env *env, struct ast_stage *to, const struct ast_agg *agg,
			    struct str list)
{
	for (struct str rest = list, one; params_next(&rest, &one);) {
		struct ast_agg *p = vec_add(env->arena, &to->aggs);

		*p = *agg;
		p->name = str_of(arena_printf(env->arena, "p%.*s", STR_ARG(one)));
		p->func = str_is(one, "100") ? str_of("max") : p->name;		/* that is exact */
	}
}

static void splice_aggs(struct check_env *env, struct ast_stage *st)
{
	struct ast_stage with = { 0 };

	for (int i = 0; i < st->aggs.n; i++) {
		const struct ast_agg *agg = &st->aggs.v[i];
		const struct param *p = str_has_prefix(agg->func, "$")
				      ? find_param(env, str_sub(agg->func, 1, agg->func.n - 1)) : NULL;

		if (!p || !str_is(p->type_name, "percentiles"))
			vec_push(env->arena, &with.aggs, *agg);
		else if (p->value)
			add_percentiles(env, &with, agg, p->value->text);
	}
	st->aggs = with.aggs;
}

static void splice_stage(void *arg, struct ast_stage *st)
{
	if (st->id == STAGE_PRINT)
		splice_columns(arg, st);
	if (st->id == STAGE_AGGS)
		splice_aggs(arg, st);
}

void params_splice(struct check_env *env, const struct ast *ast)
{
	ast_walk(ast, &(struct ast_visitor){
		.expr = splice_expr, .stage = splice_stage, .arg = env });
}
