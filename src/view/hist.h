/*
 * hist: a histogram as text. For the text view.
 */
#ifndef VIEW_HIST_H
#define VIEW_HIST_H

#include "base/buf.h"
#include "base/str.h"
#include "table/table.h"

/* Header and rows. The label is the unit, or what the column counts, escaped. */
void hist_text(struct buf *b, const struct hist *h, const struct column *column);

/* What the column counts: "bytes" of hist(bytes), "len" of lhist(len, 0, 10, 1), else its name. Not escaped. */
struct str hist_counted(const struct column *c);

#endif
