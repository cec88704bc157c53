/* Addresses of code by name. */
#include "func/rules.h"

static struct px *as_symbol(struct func_call *c, struct type type)
{
	int kind = c->args[0]->type.kind;

	if (kind != TY_PTR && kind != TY_KADDR && !func_is_number(c->args[0]))
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"%s() needs an address, but this has type %s", c->name,
				type_name(&c->args[0]->type));
	c->x->type = type;
	return c->x;
}

static struct px *type_sym(struct func_call *c)
{
	return as_symbol(c, (struct type){ .kind = TY_KADDR, .size = 8 });
}

const struct func_ops func_sym = {
	.name = "sym",
	.takes = "(address)",
	.help = "a kernel address as symbol+offset",
	.example = "kmem:kmalloc | count by sym(call_site) | top 10",
	.min_args = 1,
	.max_args = 1,
	.type = type_sym,
	.emit_word = func_emit_same,
};

/* What an address means depends on the process: the value is the id of a stack of it. */
static struct px *type_usym(struct func_call *c)
{
	if (c->env->options && c->env->options->has.replay)
		return px_wrong(c->env, DIAG_UNABLE, c->e->loc, "usym() needs the running kernel: a trace does not "
				"say where programs have their code");
	c->env->stacks = c->env->user_names = true;
	c->x->may_none = true;
	return as_symbol(c, (struct type){ .kind = TY_USYM, .bytes = STACK_ID_BYTES });
}

const struct func_ops func_usym = {
	.name = "usym",
	.takes = "(address)",
	.help = "a user address as symbol+offset",
	.example = "cpu@99hz | where (ip as s64) >= 0 | count by comm, usym(ip)",
	.min_args = 1,
	.max_args = 1,
	.type = type_usym,
	.reads_memory = true,
	.emit_text = cg_usym,
};
