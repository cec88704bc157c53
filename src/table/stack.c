/* See stack.h. */
#include "table/stack.h"

#include "base/arena.h"

bool stack_is(const struct type *t)
{
	return t->kind == TY_STACK || t->kind == TY_USYM;
}

const char *stack_symbol(struct arena *a, const struct stack *s)
{
	const struct stack_frame *f = s->n ? &s->frames[0] : NULL;
	const char *base = !f ? "?" : f->name ? f->name : f->module;

	if (f && !base)
		return arena_printf(a, "%#llx", (unsigned long long)f->address);
	return f ? arena_printf(a, "%s+%#llx", base, (unsigned long long)f->offset) : base;
}
