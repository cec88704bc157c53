/* See alike.h. */
#include "table/alike.h"

#include <string.h>

#include "base/buf.h"
#include "table/stack.h"

static void add_text(struct buf *b, const char *p)
{
	buf_add(b, p ? p : "", (p ? strlen(p) : 0) + 1);
}

/* All that views show of a frame; its address where it has no name. */
static void add_frame(struct buf *b, const struct stack_frame *f)
{
	uint64_t place = f->name ? 0 : f->module ? f->offset : f->address;

	buf_putc(b, (char)f->kind);
	add_text(b, f->name);
	add_text(b, f->module);
	add_text(b, f->file);
	buf_add(b, &f->line, sizeof(f->line));
	buf_add(b, &place, sizeof(place));
}

static void add_stack(struct buf *b, const struct stack *s)
{
	for (int i = 0; i < s->n; i++)
		add_frame(b, &s->frames[i]);
	add_text(b, s->cut);
}

void alike_id(struct alike *x, const struct type *t, char *id, uint32_t bytes)
{
	const struct stack *s;
	struct arena a = { 0 };
	struct buf shown = { 0 };
	void **first;

	if (!x->names->stack)
		return;
	s = x->names->stack(x->names->self, &a, id, (int)bytes);
	buf_putc(&shown, (char)t->kind);
	buf_add(&shown, &bytes, sizeof(bytes));
	if (t->kind == TY_USYM)
		add_text(&shown, stack_symbol(&a, s));
	else
		add_stack(&shown, s);
	first = map_put(&x->arena, &x->first, shown.p, (int)shown.n);
	if (*first)
		memcpy(id, *first, bytes);
	else
		*first = memcpy(arena_alloc(&x->arena, bytes), id, bytes);
	buf_fini(&shown);
	arena_fini(&a);
}

void alike_fini(struct alike *x)
{
	arena_fini(&x->arena);
}
