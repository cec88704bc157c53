/* Strings at an address, and lists of them. */
#include "func/rules.h"

#define BYTES_MOST 4096		/* of str(p, n) */

/* The constant number of bytes of argument `arg`; -1 after a mistake. */
static int64_t bytes_of(struct func_call *c, int arg)
{
	int64_t n = STRING_BYTES_USUAL;

	if (arg >= c->n)
		return n;
	if (!px_is_number(c->args[arg], &n)) {
		px_wrong(c->env, DIAG_NOT_A_NUMBER, c->e->kids[arg]->loc,
			 "the length in %s() must be a constant", c->name);
		return -1;
	}
	if (n < 1 || n > BYTES_MOST) {
		px_wrong(c->env, DIAG_OUT_OF_RANGE, c->e->kids[arg]->loc,
			 "the length %lld is not possible: write 1 to %d",
		      (long long)n, BYTES_MOST);
		return -1;
	}
	return n;
}

/* Did the trace record the text instead of where it is? */
static bool is_recorded_text(const struct check_env *env, const struct type *t)
{
	struct type to;

	return t->kind == TY_PTR && env->catalog->ops->pointee(env->catalog->self, t->ktype, &to) &&
	       to.kind == TY_STRING;
}

static struct px *type_str(struct func_call *c)
{
	struct px *p = c->args[0];
	int64_t n = bytes_of(c, 1);
	int space = px_space(p);

	if (n < 0)
		return px_poison(c->env, c->e->loc);
	if (p->type.kind == TY_STRING) {	/* a string already: only its length */
		p = px_copy(c->env, p);
		if (c->n > 1 && p->op == PX_LOAD)
			p->type.bytes = (uint32_t)n;
		return p;
	}
	if (space < 0)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"str() needs a pointer, but this has type %s",
			     type_name(&p->type));
	if (env_is_recorded(c->env) && !is_recorded_text(c->env, &p->type))
		return px_wrong(c->env, DIAG_UNABLE, c->e->loc, "the trace has the address %.*s, but not "
				"the text there", STR_ARG(loc_text(c->e->kids[0]->loc)));
	c->x->space = (uint8_t)space;
	c->x->n_kids = 1;
	/* A NULL pointer has none. */
	c->x->may_none |= !env_is_recorded(c->env);
	c->x->type = (struct type){ .kind = TY_STRING, .bytes = (uint32_t)n };
	return c->x;
}

const struct func_ops func_str = {
	.name = "str",
	.takes = "(pointer[, bytes])",
	.help = "the string at a pointer, at most so many bytes (128)",
	.example = "syscall:openat | count by str(filename), errno(ret)",
	.min_args = 1,
	.max_args = 2,
	.type = type_str,
	.reads_memory = true,
	.is_string = true,
};

static struct px *list_of(struct func_call *c)
{
	int64_t n = bytes_of(c, 1);

	if (n < 0)
		return px_poison(c->env, c->e->loc);
	c->x->n_kids = 1;
	c->x->type = (struct type){ .kind = TY_ARGS, .bytes = TEXT_HEAD_BYTES + (uint32_t)(n + 7) / 8 * 8,
				    .quoted = c->env->options && c->env->options->quote };
	return c->x;
}

/* It is in the program's memory, which a trace does not have. */
static struct px *type_cmdline(struct func_call *c)
{
	if (c->env->options && c->env->options->has.replay && c->args[0]->type.kind == TY_PTR)
		return px_none(c->env, c->e->loc);
	if (c->args[0]->type.kind != TY_PTR || !func_points_to(c, c->args[0], "task_struct"))
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"cmdline() needs a task, but this has type %s",
			     type_name(&c->args[0]->type));
	return list_of(c);
}

static struct px *type_argv(struct func_call *c)
{
	if (env_is_recorded(c->env))
		return px_none(c->env, c->e->loc);
	if (px_space(c->args[0]) < 0)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"argv() needs a pointer, but this has type %s",
			     type_name(&c->args[0]->type));
	return list_of(c);
}

const struct func_ops func_cmdline = {
	.name = "cmdline",
	.takes = "(task[, bytes])",
	.help = "a task's command line",
	.example = "sched:sched_process_exec | print pid, cmdline(task)",
	.min_args = 1,
	.max_args = 2,
	.type = type_cmdline,
	.reads_memory = true,
	.emit_text = cg_cmdline,
};

const struct func_ops func_argv = {
	.name = "argv",
	.takes = "(pointer[, bytes])",
	.help = "the strings of an argv array",
	.example = "syscall:execve | print pid, argv(argv), errno(ret)",
	.min_args = 1,
	.max_args = 2,
	.type = type_argv,
	.reads_memory = true,
	.emit_text = cg_argv,
};

static struct px *type_quote(struct func_call *c)
{
	struct px *list = px_copy(c->env, c->args[0]);

	if (px_is_none(list))
		return list;
	if (list->type.kind != TY_ARGS)
		return px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
				"quote() needs arguments, as argv() and cmdline() give them, but this has "
				"type %s", type_name(&list->type));
	list->type.quoted = true;
	return list;
}

const struct func_ops func_quote = {
	.name = "quote",
	.takes = "(arguments)",
	.help = "arguments with quotes where a shell needs them",
	.example = "syscall:execve | print pid, quote(argv(argv)), errno(ret)",
	.min_args = 1,
	.max_args = 1,
	.type = type_quote,
};
