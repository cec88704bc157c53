/*
 * Calls of functions: which one, how many arguments. What they take and make is in
 * func/. See func.h.
 */
#include "plan/func.h"

#include "lang/habit.h"
#include "plan/agg.h"
#include "plan/check_in.h"

const struct func_ops *func_find(const struct registry *r, struct str name)
{
	for (const struct func_ops *const *f = r->funcs; *f; f++)
		if (str_is(name, (*f)->name))
			return *f;
	return NULL;
}

bool func_reads_memory(const struct registry *r, struct str name)
{
	const struct func_ops *f = func_find(r, name);

	return f && f->reads_memory;
}

static struct loc name_loc(const struct ax *e)
{
	return e->name_loc.text ? e->name_loc : e->loc;
}

static void unknown_function(struct check_env *env, const struct ax *e)
{
	const struct func_ops *const *all = env->registry->funcs;
	const char **names;
	int n = 0;

	while (all[n])
		n++;
	names = arena_array(env->arena, const char *, n);
	for (int i = 0; i < n; i++)
		names[i] = all[i]->name;
	diag_error(env->diag, DIAG_UNKNOWN_FUNCTION, name_loc(e), "no function '%.*s'",
		   STR_ARG(e->text));
	if (agg_find(env->registry, e->text, NULL))
		diag_help(env->diag, "%.*s is an aggregation: it stands behind a '|' and before by: "
			  "| count, p99(duration) by comm", STR_ARG(e->text));
	else if (!habit_help(env->diag, HABIT_CALL, e->text))
		help_names(env, e->text, "functions", names, n);
}

bool func_check_call(struct check_env *env, const struct ax *e, const struct func_ops *f,
		     bool table)
{
	if (!f) {
		unknown_function(env, e);
		return false;
	}
	if (table ? !f->value : !f->type && !f->check) {
		diag_error(env->diag, table ? DIAG_STAGE_ORDER : DIAG_TABLE_STAGE_ONLY, name_loc(e),
			   table ? "%s() works only on rows: use it before the aggregation"
				 : "%s() works only on a table: use it after the aggregation",
			   f->name);
		return false;
	}
	if (e->n_kids >= f->min_args && e->n_kids <= f->max_args)
		return true;
	if (f->min_args == f->max_args)
		diag_error(env->diag, DIAG_ARG_COUNT, e->loc, "%s() takes %d argument%s, not %d",
			   f->name, f->max_args, f->max_args == 1 ? "" : "s", e->n_kids);
	else
		diag_error(env->diag, DIAG_ARG_COUNT, e->loc,
			   "%s() takes %d to %d arguments, not %d",
			   f->name, f->min_args, f->max_args, e->n_kids);
	diag_help(env->diag, "%s%s: %s", f->name, f->takes, f->help);
	return false;
}

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
