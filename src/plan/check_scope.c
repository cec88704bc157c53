/*
 * What there is by a name in a scope: fields, arguments and parameters of its sides, common names,
 * lets, columns. What they are worth is found in check_field.c and check_name.c.
 */
#include "plan/check_scope.h"

#include <string.h>

const char *const common_names[] = {
#define COMMON(id, name, kind, ...) [COMMON_##id] = name,
#include "lang/common.def"
#undef COMMON
};

int check_common(struct str name)
{
	for (int i = 0; i < COMMONS; i++)
		if (str_is(name, common_names[i]))
			return i;
	return -1;
}

/* ---- one side ---- */

static const struct cat_field field_ret = {
	.name = "ret", .type = { .kind = TY_INT, .is_signed = true, .size = 8 },
	.loc = LOC_SYSRET, .size = 8,
};

static const struct cat_field *find_in(const struct cat_field *f, int n, struct str name)
{
	for (int i = 0; i < n; i++)
		if (str_is(name, f[i].name))
			return &f[i];
	return NULL;
}

const struct cat_field *side_tells(const struct side *d, const struct cat_field *f)
{
	return f && f->of_return && !d->is_return ? NULL : f;
}

const struct cat_field *side_field(const struct scope *s, const struct side *d, struct str name)
{
	const struct cat_field *f = NULL;

	if (d->syscall) {
		f = side_tells(d, find_in(d->syscall->params, d->syscall->n_params, name));
		return !f && d->is_return && str_is(name, "ret") ? &field_ret : f;
	}
	if (d->function) {
		if (!d->is_return || d->knows_params)
			f = find_in(d->function->params, d->function->n_params, name);
		return !f && d->is_return && str_is(name, "ret") ? d->function->ret : f;
	}
	if (!d->event)
		return NULL;
	if (!s->args_only)
		f = find_in(d->event->fields, d->event->n_fields, name);
	return f ? f : find_in(d->event->args, d->event->n_args, name);
}

bool side_has_param(const struct side *d, struct str name)
{
	return d->function && find_in(d->function->params, d->function->n_params, name);
}

bool check_side_has(const struct scope *s, const struct side *side, struct str name,
		    struct type *type)
{
	const struct cat_field *f = side_field(s, side, name);

	/* a return knows what its entry kept */
	if (!f && s->entry_value && side->function)
		f = find_in(side->function->params, side->function->n_params, name);
	if (f)
		*type = f->type;
	return f;
}

static void list_name(struct check_env *env, name_list *l, const char *name)
{
	for (int i = 0; i < l->n; i++)
		if (!strcmp(l->v[i], name))
			return;
	vec_push(env->arena, l, name);
}

static void list_fields(struct check_env *env, name_list *l, const struct cat_field *f, int n)
{
	for (int i = 0; i < n; i++)
		list_name(env, l, f[i].name);
}

void side_list(struct check_env *env, name_list *l, const struct side *d)
{
	if (d->syscall) {
		for (int i = 0; i < d->syscall->n_params; i++)
			if (side_tells(d, &d->syscall->params[i]))
				list_name(env, l, d->syscall->params[i].name);
		if (d->is_return)
			list_name(env, l, "ret");
	} else if (d->function) {
		/* of a period its begin has listed them */
		if (!d->is_return || (d->knows_params && !l->n))
			list_fields(env, l, d->function->params,
				    d->function->n_params - d->function->n_spare);
		if (d->is_return && d->function->ret)
			list_name(env, l, "ret");
	} else if (d->event) {
		list_fields(env, l, d->event->fields, d->event->n_fields);
		list_fields(env, l, d->event->args, d->event->n_args);
	}
}

const char *side_name(const struct side *d)
{
	return d->name ? d->name : d->event ? d->event->name : "this source";
}

/* ---- the scope ---- */

int table_column(const struct table_scope *t, struct str name)
{
	for (int i = 0; i < t->n; i++)
		if (str_is(name, t->columns[i].name))
			return i;
	return -1;
}

bool scope_is_period(const struct scope *s)
{
	return side_is_there(&s->begin) && side_is_there(&s->end) && !s->in_end;
}

bool scope_is_call(const struct scope *s)
{
	return (s->begin.syscall && s->end.syscall) || (s->begin.function && s->end.function);
}

const struct side *scope_lone_side(const struct scope *s)
{
	return side_is_there(&s->end) ? &s->end : &s->begin;
}

const struct scope_let *scope_let(const struct scope *s, struct str name)
{
	for (int i = s->lets.n - 1; i >= 0; i--)
		if (str_eq(s->lets.v[i].name, name))
			return &s->lets.v[i];
	return NULL;
}

bool name_is_bound(const struct scope *s, struct str name)
{
	bool any = side_is_there(&s->begin) || side_is_there(&s->end);

	if (s->table)
		return table_column(s->table, name) >= 0;
	return scope_let(s, name) || side_field(s, &s->begin, name) ||
	       side_field(s, &s->end, name) || (any && check_common(name) >= 0) ||
	       (scope_is_period(s) && str_is(name, "duration"));
}
