/* losses: what was lost, as lines for people. */
#ifndef VIEW_LOSSES_H
#define VIEW_LOSSES_H

#include <stdio.h>

#include "table/table.h"

enum tell { TELL_LESS, TELL_USUAL, TELL_ALL };	/* -q, -v */

/* "culprit: 12 rows ... (dropped)", with `begin` before each line. rows: of events, in what was shown. */
void losses_print(FILE *out, const char *begin, const struct loss *l, int n, uint64_t rows, enum tell tell);

#endif
