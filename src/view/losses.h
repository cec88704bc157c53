/* losses: what was lost, as lines for people. */
#ifndef VIEW_LOSSES_H
#define VIEW_LOSSES_H

#include <stdio.h>

#include "table/table.h"

enum tell { TELL_LESS, TELL_USUAL, TELL_ALL };	/* -q, -v */

/* "culprit: 12 rows ... (dropped)", with `begin` before each line. rows: of events, in what was shown. */
void losses_print(FILE *out, const char *begin, const struct loss *l, int n, uint64_t rows, enum tell tell);

/* How often the loss of row i was counted in all of its tables and periods; false: an earlier row is of
 * the same. */
bool losses_sum(const struct loss *l, int n, int i, uint64_t *count);

#endif
