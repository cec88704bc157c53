/* frames: stacks as text, for the views. */
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include "base/buf.h"
#include "table/stack.h"

/* One frame: its name, else its module and offset, else its address. Not escaped. */
void frame_name(struct buf *b, const struct stack_frame *f);
/* From the outermost, with `;` between; what is missing is "[why]" in its place. Not escaped. */
void stack_folded(struct buf *b, const struct stack *s);
/* A line for each, from the innermost, indented; then why it ends early. Escaped. */
void stack_lines(struct buf *b, const struct stack *s);

#endif
