/*
 * Expressions are made here, by the checker and by who builds the plan.
 */
#include "plan/check.h"

struct px *px_new(struct check_env *env, int op, struct loc loc, const struct type *t)
{
	struct px *e = arena_new(env->arena, struct px);

	e->op = (uint8_t)op;
	e->loc = loc;
	e->type = *t;
	return e;
}

struct px *px_node(struct check_env *env, int op, struct loc loc, const struct type *t,
		   int n, struct px *const *kids)
{
	struct px *e = px_new(env, op, loc, t);

	e->n_kids = n;
	e->kids = arena_array(env->arena, struct px *, n);
	for (int i = 0; i < n; i++) {
		e->kids[i] = kids[i];
		e->may_none |= kids[i]->may_none;
	}
	return e;
}

struct px *px_truth(struct check_env *env, int op, struct loc loc, int n, struct px *const *kids)
{
	struct px *e = px_node(env, op, loc, &type_bool, n, kids);

	e->may_none = false;
	return e;
}

struct px *px_copy(struct check_env *env, const struct px *e)
{
	struct px *c = arena_new(env->arena, struct px);

	*c = *e;
	return c;
}

struct px *px_number(struct check_env *env, struct loc loc, int64_t n, const struct type *t)
{
	struct px *e = px_new(env, PX_NUMBER, loc, t);

	e->number = n;
	return e;
}

struct px *px_bool(struct check_env *env, struct loc loc, bool value)
{
	return px_number(env, loc, value, &type_bool);
}

struct px *px_none(struct check_env *env, struct loc loc)
{
	struct px *e = px_new(env, PX_NONE, loc, &type_none);

	e->may_none = true;
	return e;
}

struct px *px_poison(struct check_env *env, struct loc loc)
{
	return px_number(env, loc, 0, &type_poison);
}

struct px *px_slot(struct check_env *env, const struct p_period *p, int slot, struct loc loc)
{
	struct px *e = px_new(env, PX_SLOT, loc, &p->slots.v[slot].type);

	e->index = slot;
	e->may_none = p->slots.v[slot].may_none;
	return e;
}

struct px *px_both(struct check_env *env, int op, struct px *x, struct px *y)
{
	struct px *e;

	if (!x || !y)
		return x ? x : y;
	e = px_truth(env, PX_BINARY, loc_join(x->loc, y->loc), 2, (struct px *[]){ x, y });
	e->c_op = (uint8_t)op;
	return e;
}

struct px *px_else(struct check_env *env, struct px *x, struct px *y)
{
	struct px *e;

	if (!x || !y)
		return x ? x : y;
	e = px_node(env, PX_ELSE, x->loc, &x->type, 2, (struct px *[]){ x, y });
	e->may_none = y->may_none;
	return e;
}

struct px *px_wrong(struct check_env *env, const char *tag, struct loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(env->diag, tag, loc, "%s", arena_vprintf(env->arena, fmt, ap));
	va_end(ap);
	return px_poison(env, loc);
}
