/* lines: what the views that write a line for each row share. */
#ifndef VIEW_LINES_H
#define VIEW_LINES_H

#include "view/view.h"

/* -T: a time before each row, unless the query shows one: a column `time`. */
bool lines_have_time(const struct view_query *q, bool timestamp);

#endif
