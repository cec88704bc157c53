/* Stacks as text. See frames.h. */
#include "view/frames.h"

#include <string.h>

#include "view/format.h"

#define INDENT "    "

void frame_name(struct buf *b, const struct stack_frame *f)
{
	if (f->name)
		buf_puts(b, f->name);
	else if (f->module)
		buf_printf(b, "%s+%#llx", f->module, (unsigned long long)f->offset);
	else
		buf_printf(b, "%#llx", (unsigned long long)f->address);
}

/* `;` is between frames: in one it becomes `:`. */
static void folded_name(struct buf *b, const struct stack_frame *f)
{
	size_t from = b->n;

	frame_name(b, f);
	for (size_t i = from; i < b->n; i++)
		if (b->p[i] == ';')
			b->p[i] = ':';
}

static bool is_user(const struct stack_frame *f)
{
	return f->kind == FRAME_USER || f->kind == FRAME_JIT || f->kind == FRAME_INLINED;
}

/* The kernel's frames are first in it, so that they are behind the program's here. */
void stack_folded(struct buf *b, const struct stack *s)
{
	if (s->cut)
		buf_printf(b, "[%s]%s", s->cut, s->n ? ";" : "");
	for (int i = s->n - 1; i >= 0; i--) {
		folded_name(b, &s->frames[i]);
		if (i)
			buf_putc(b, ';');
	}
}

void stack_lines(struct buf *b, const struct stack *s)
{
	struct buf name = { 0 };

	for (int i = 0; i < s->n; i++) {
		const struct stack_frame *f = &s->frames[i];

		buf_clear(&name);
		frame_name(&name, f);
		if (f->name && f->module && (is_user(f) || strcmp(f->module, "bpf")))
			buf_printf(&name, " [%s]", f->module);
		if (f->file)
			buf_printf(&name, " %s:%d", f->file, f->line);
		if (f->kind == FRAME_INLINED)
			buf_puts(&name, " (inlined)");
		buf_puts(b, INDENT);
		escape_text(b, name.p, (int)name.n);
		buf_putc(b, '\n');
	}
	if (s->cut)
		buf_printf(b, INDENT "[%s]\n", s->cut);
	buf_fini(&name);
}
