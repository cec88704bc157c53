/* coalesce(a, b, ...): what kernels name differently. */
#include "func/rules.h"

/* x, or rest where x is none; NULL: a text and a number, say, which is said. */
static struct px *first_of(struct scope *s, struct loc loc, struct px *x, struct px *rest)
{
	struct type t;
	struct px *e;

	if (rest->op == PX_NUMBER)
		rest = px_copy(s->env, rest);
	if (!px_unify(s, loc, x, rest))
		return NULL;
	t = type_common(x, rest);
	e = px_node(s->env, PX_ELSE, loc, &t, 2, (struct px *[]){ x, rest });
	e->may_none = rest->may_none;
	return e;
}

/* Of those that check here without a mistake (kernels name the same
 * member differently) the first that is not none. */
static struct px *check(struct scope *s, const struct ax *e)
{
	struct px *rest = NULL;

	for (int i = e->n_kids - 1; i >= 0; i--) {
		struct diag quiet = { .arena = s->env->arena }, *diag = s->env->diag;
		struct px *x;

		s->env->diag = &quiet;
		x = check_ax(s, e->kids[i]);
		s->env->diag = diag;
		if (quiet.errors || px_is_poison(x) || px_is_none(x))
			continue;
		rest = rest ? first_of(s, e->loc, x, rest) : x;
		if (!rest)
			return px_poison(s->env, e->loc);
	}
	/* nothing checks: the first says why */
	return rest ? rest : check_ax(s, e->kids[0]);
}

const struct func_ops func_coalesce = {
	.name = "coalesce",
	.takes = "(a, b, ...)",
	.help = "the first of them that this kernel and this event have",
	.example = "syscall:unlinkat, syscall:renameat2 | print event, coalesce(str(pathname), str(oldname))",
	.min_args = 2,
	.max_args = 8,
	.check = check,
};
