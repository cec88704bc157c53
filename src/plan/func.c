/* Functions of the language: which one a call means, and how many arguments it takes. See func.h. */
#include "plan/func.h"

#include "lang/diag_tags.h"
#include "lang/habit.h"
#include "plan/agg.h"
#include "plan/check_help.h"

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
