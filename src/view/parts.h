/*
 * parts: the columns of what a duration was made of, drawn together.
 */
#ifndef VIEW_PARTS_H
#define VIEW_PARTS_H

#include "table/names.h"
#include "table/table.h"

bool parts_any(const struct column *columns, int n);

/* A line for each part: its time, percent of all, count, a bar; the mean of a sum. `than` (or
 * NULL): how much more its time, or the mean, is than there. */
void parts_text(struct buf *b, const struct column *columns, int n, const struct cell *cells,
		const struct cell *than, const struct names *names);

/* Those of the brief columns from the first on that have any time, the largest first: "sleeping 3.4 ms,
 * running 15.5 us". */
void parts_brief(struct buf *b, const struct column *columns, int n, const struct cell *cells);

#endif
