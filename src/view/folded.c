/*
 * folded: a line for each stack, callers first: "main;work;vfs_read_[k] 12". Frames of
 * the kernel end in _[k], of a JIT in _[j], inlined ones in _[i]. With a difference a line
 * has two values.
 */
#include <inttypes.h>

#include "view/picture.h"

static void emit(struct sink *v)
{
	struct buf *b = &v->out.line;
	struct flame *f = &v->flame;

	flame_finish(f, f->n);
	for (int i = 0; i < f->n_order; i++) {
		const struct flame_node *n = &f->nodes[f->order[i]];

		if (!n->self[0] && !n->self[1])
			continue;
		picture_folded(b, f, f->order[i]);
		buf_printf(b, " %" PRIu64, n->self[0]);
		if (v->diff)
			buf_printf(b, " %" PRIu64, n->self[1]);
		buf_putc(b, '\n');
		out_write(&v->out);
	}
	if (f->full) {
		buf_printf(b, "# culprit: %" PRIu64 " frames more than %d found no room\n", f->full, FLAME_NODES);
		out_write(&v->out);
	}
}

static struct sink *folded_open(const struct view_options *o)
{
	return picture_open_by_path(o, emit);
}

const struct view_ops view_folded = {
	.name = "folded",
	.help = "stacks, one a line, for flame graph tools",
	.endings = "folded",
	.comments = true,
	.open = folded_open,
	.shape = VIEW_PICTURE,
	.suits = picture_needs_path,
	.sink = { PICTURE_SINK, .tree = picture_tree },
	.close = picture_close,
};
