/*
 * The expression checker: one function for each kind of node.
 *
 * What a name means is in check_name.c, members in check_member.c, the
 * operators' rules in check_op.c, what functions take and make in func/. A new kind of
 * expression is a row of `checkers` here. Each function returns a poisoned
 * expression after a mistake, and no mistake is reported about a poisoned one.
 * All of it is recursive: the parser bounds the height of expressions.
 */
#include "plan/check.h"

#include "plan/check_help.h"
#include "plan/check_in.h"
#include "plan/check_text.h"
#include "plan/func.h"

/* ---- literals ---- */

static struct px *check_int(struct scope *s, const struct ax *e)
{
	static const struct type *const units[] = {
		[UNIT_NONE] = &type_int, [UNIT_DURATION] = &type_duration, [UNIT_SIZE] = &type_size,
	};

	return px_number(s->env, e->loc, e->number, units[e->unit]);
}

static struct px *check_real(struct scope *s, const struct ax *e)
{
	diag_error(s->env->diag, DIAG_TYPE_MISMATCH, e->loc,
		   "a number with a fraction works only after the aggregation: rows have integers");
	diag_help(s->env->diag, "with a unit it is an integer: 1.5ms, 1.5KiB");
	return px_poison(s->env, e->loc);
}

static struct px *check_string(struct scope *s, const struct ax *e)
{
	struct type t = { .kind = TY_STRING, .bytes = (uint32_t)e->text.n + 1 };
	struct px *x = px_new(s->env, PX_TEXT, e->loc, &t);

	x->text = e->text;
	return x;
}

static const struct param *param_find(const struct check_env *env, struct str name)
{
	for (int i = 0; i < env->params.n; i++)
		if (str_eq(env->params.v[i].name, name))
			return &env->params.v[i];
	return NULL;
}

static void unknown_param(struct check_env *env, struct loc loc, struct str name)
{
	const char **names = arena_array(env->arena, const char *, env->params.n);

	for (int i = 0; i < env->params.n; i++)
		names[i] = arena_strndup(env->arena, env->params.v[i].name.p,
					 (size_t)env->params.v[i].name.n);
	diag_error(env->diag, DIAG_UNKNOWN_PARAM, loc, "no parameter '$%.*s'", STR_ARG(name));
	if (!env->params.n)
		diag_help(env->diag, "define it before the query, as in: param %.*s: duration = 1ms", STR_ARG(name));
	help_names(env, name, "parameters", names, env->params.n);
}

static struct px *check_param(struct scope *s, const struct ax *e)
{
	struct check_env *env = s->env;
	const struct param *p = param_find(env, e->text);
	struct px *x;

	if (!p) {
		unknown_param(env, e->loc, e->text);
		return px_poison(env, e->loc);
	}
	if (str_is(p->type_name, "flag"))
		return px_bool(env, e->loc, p->given);
	if (!p->given || !p->value) {
		diag_error(env->diag, DIAG_PARAM_VALUE, e->loc,
			   "parameter '%.*s' has no value here", STR_ARG(p->name));
		diag_help(env->diag, "give it on the command line or a default, or write "
			  "'if $%.*s' after what uses it", STR_ARG(p->name));
		return px_poison(env, e->loc);
	}
	x = px_copy(env, p->value);
	if (x->loc.text == e->loc.text)		/* else it was given: a mistake is there */
		x->loc = e->loc;
	return x;
}

/* ---- calls of functions ---- */

struct px *check_call(struct scope *s, const struct ax *e)
{
	const struct func_ops *f = func_find(s->env->registry, e->text);
	struct func_call c = { .s = s, .env = s->env, .e = e, .n = e->n_kids };
	bool fine = func_check_call(s->env, e, f, false), through = f && f->reads_memory;

	if (fine && f->check)
		return f->check(s, e);
	c.args = arena_array(s->env->arena, struct px *, e->n_kids);
	for (int i = 0; i < e->n_kids; i++) {
		c.args[i] = (through && !i ? check_base : check_ax)(s, e->kids[i]);
		fine &= !px_is_poison(c.args[i]);
	}
	if (!fine)
		return px_poison(s->env, e->loc);
	for (int i = 0; i < e->n_kids; i++)
		if (px_is_none(c.args[i]))
			return px_none(s->env, e->loc);
	c.name = f->name;
	c.x = px_node(s->env, PX_CALL, e->loc, &type_int, e->n_kids, c.args);
	c.x->func = f;
	return f->type(&c);
}

/* ---- dispatch ---- */

static struct px *(*const checkers[])(struct scope *s, const struct ax *e) = {
	[AX_INT] = check_int,
	[AX_REAL] = check_real,
	[AX_STRING] = check_string,
	[AX_NAME] = check_name,
	[AX_PARAM] = check_param,
	[AX_SIDE] = check_side,
	[AX_MEMBER] = check_member,
	[AX_INDEX] = check_index,
	[AX_AS_STRUCT] = check_as_struct,
	[AX_AS_INT] = check_as_int,
	[AX_UNARY] = check_unary,
	[AX_BINARY] = check_binary,
	[AX_COND] = check_choice,
	[AX_IN] = check_in_list,
	[AX_CALL] = check_call,
};

struct px *check_base(struct scope *s, const struct ax *e)
{
	struct px *kept = s->in_value ? s->in_value(s, e) : NULL;

	if (s->table)
		kept = check_table(s, e);
	if (!kept && s->part_value)
		kept = s->part_value(s, e);
	if (!kept)
		kept = check_kept(s, e);
	if (!kept)
		kept = check_recorded(s, e);
	return kept ? kept : checkers[e->kind](s, e);
}

struct px *check_ax(struct scope *s, const struct ax *e)
{
	struct px *x = check_base(s, e);
	struct str text = loc_text(e->loc);

	if (!env_is_recorded(s->env) || !px_is_text_address(s->env, x))
		return x;
	diag_error(s->env->diag, DIAG_UNABLE, e->loc, "%.*s is the address of a text, and a trace has only the text",
		   STR_ARG(text));
	diag_help(s->env->diag, "for the text write str(%.*s)", STR_ARG(text));
	return px_poison(s->env, e->loc);
}

struct px *check_expr(struct scope *s, const struct ax *e)
{
	struct check_env *env = s->env;
	struct px *x = check_ax(s, e);

	if (env_is_recorded(env) && x->op == PX_COMMON && x->common == COMMON_TASK)
		return px_wrong(env, DIAG_UNABLE, e->loc, "a trace has no kernel objects, and task is one");
	if (x->type.kind != TY_STRUCT && x->type.kind != TY_ARRAY)
		return x;
	diag_error(env->diag, DIAG_TYPE_MISMATCH, e->loc, "%s is not a value",
		   x->type.kind == TY_STRUCT ? "a struct" : "an array");
	diag_help(env->diag, x->type.kind == TY_STRUCT ? "choose a member: %.*s.MEMBER"
		  : "choose an element: %.*s[0]", STR_ARG(loc_text(e->loc)));
	return px_poison(env, e->loc);
}

struct px *check_cond(struct scope *s, const struct ax *e)
{
	struct px *x = check_expr(s, e);

	if (px_is_poison(x) || px_is_word(x))
		return x;
	diag_error(s->env->diag, DIAG_NOT_A_NUMBER, e->loc,
		   "a condition is needed here, but this has type %s", type_name(&x->type));
	diag_help(s->env->diag, "compare it: %.*s == \"...\"", STR_ARG(loc_text(e->loc)));
	return px_poison(s->env, e->loc);
}

struct px *check_const(struct check_env *env, const struct ax *e)
{
	struct scope s = { .env = env };
	struct px *x = check_expr(&s, e);

	if (px_is_poison(x) || x->op == PX_NUMBER || x->op == PX_TEXT)
		return x;
	diag_error(env->diag, DIAG_NOT_A_NUMBER, e->loc, "a constant is needed here: a number or a text in quotes");
	return px_poison(env, e->loc);
}

/* ---- conditions by parameters ---- */

/* Goes down the first kid in a loop: chains lean to that side. */
static bool holds_missing_param(const struct check_env *env, const struct ax *e)
{
	while (e) {
		if (e->kind == AX_PARAM) {
			const struct param *p = param_find(env, e->text);

			if (p && !p->given)
				return true;
		}
		for (int i = 1; i < e->n_kids; i++)
			if (holds_missing_param(env, e->kids[i]))
				return true;
		e = e->n_kids ? e->kids[0] : NULL;
	}
	return false;
}

static bool is_and(const struct ax *e)
{
	return e->kind == AX_BINARY && e->op == OP_AND;
}

struct ax *where_prune(struct check_env *env, const struct ax *e)
{
	VEC(const struct ax *) terms = { 0 };
	struct ax *all = NULL;

	if (!e)
		return NULL;
	/* terms from right to left */
	for (; is_and(e); e = e->kids[0])
		vec_push(env->arena, &terms, e->kids[1]);
	vec_push(env->arena, &terms, e);
	for (int i = terms.n - 1; i >= 0; i--) {
		const struct ax *term = terms.v[i];
		struct ax *kept = is_and(term) ? where_prune(env, term)
			: holds_missing_param(env, term) ? NULL : (struct ax *)term;
		struct ax *both;

		if (!kept || !all) {
			all = kept ? kept : all;
			continue;
		}
		both = arena_new(env->arena, struct ax);
		*both = (struct ax){ .kind = AX_BINARY, .op = OP_AND, .n_kids = 2,
				     .loc = loc_join(all->loc, kept->loc),
				     .height = (all->height > kept->height ? all->height
									   : kept->height) + 1,
				     .kids = arena_array(env->arena, struct ax *, 2) };
		both->kids[0] = all;
		both->kids[1] = kept;
		all = both;
	}
	return all;
}

bool cond_is_known(const struct check_env *env, const struct cond *c)
{
	return c->present && param_find(env, c->param);
}

/* What every program may ask of the command line: 1 yes, 0 no, -1: there is no such. */
static int asked(const struct check_env *env, struct str name)
{
	const struct plan_options *o = env->options;

	if (o && str_is(name, "process"))
		return o->n_pids || o->follow;
	if (o && str_is(name, "trace"))
		return o->has.replay;
	return -1;
}

bool cond_holds(struct check_env *env, const struct cond *c)
{
	const struct param *p;

	if (!c->present)
		return true;
	p = param_find(env, c->param);
	if (!p && asked(env, c->param) >= 0)
		return asked(env, c->param) != c->negated;
	if (!p) {
		unknown_param(env, c->loc, c->param);
		return false;
	}
	return p->given != c->negated;
}
