/* tree: the lines of a tree of calls (table/tree.h), as ftrace's function graph has them. */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "table/names.h"
#include "table/tree.h"

void tree_header(struct buf *b);
void tree_thread(struct buf *b, const struct cell *row);	/* whose the next lines are */
/* Row i: one line for a call with nothing inside, else its first; behind it those that
 * end what the next row is not inside of. */
void tree_lines(struct buf *b, const struct table *t, int i, const struct names *names);

#endif
