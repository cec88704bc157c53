/* See rules.h. */
#include "func/rules.h"

bool func_is_number(const struct px *e)
{
	switch (e->type.kind) {
	case TY_STRUCT: case TY_ARRAY: case TY_PTR: case TY_STACK: case TY_USYM:
		return false;
	}
	return px_is_word(e);
}

struct px *func_not_number(const struct func_call *c, int arg)
{
	return px_wrong(c->env, DIAG_NOT_A_NUMBER, c->e->kids[arg]->loc,
			"%s() needs a number, but this has type %s", c->name,
			type_name(&c->args[arg]->type));
}

struct px *func_as_kind(struct func_call *c, int kind)
{
	if (!func_is_number(c->args[0]))
		return func_not_number(c, 0);
	c->x->type = (struct type){ .kind = (uint8_t)kind, .size = 8,
				    .is_signed = kind == TY_ERRNO || kind == TY_SIGNAL };
	return c->x;
}

bool func_points_to(const struct func_call *c, const struct px *e, const char *name)
{
	const struct catalog *cat = c->env->catalog;
	const char *is = cat && e->type.ktype ? cat->ops->ktype_name(cat->self, e->type.ktype)
					      : NULL;

	if (is && !strncmp(is, "struct ", 7))
		is += 7;
	return is && !strcmp(is, name);
}

void func_emit_same(struct cg *cg, const struct px *e, as_label none)
{
	cg_word(cg, e->kids[0], none);
	if (cg_pointerish(e->kids[0]) && !cg_pointerish(e))
		cg_scalar(cg);
	cg_extend(cg, e->type.size, e->type.is_signed);
}
