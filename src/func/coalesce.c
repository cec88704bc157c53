/* coalesce(a, b, ...): what kernels name differently. */
#include "func/rules.h"

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
		if (quiet.errors || px_is_poison(x) || px_is_none(x) ||
		    (rest && x->type.kind != rest->type.kind))
			continue;
		if (rest) {
			struct type type = type_common(x, rest);

			x = px_node(s->env, PX_ELSE, e->loc, &type, 2, (struct px *[]){ x, rest });
			x->may_none = rest->may_none;
		}
		rest = x;
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
