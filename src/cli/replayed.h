/* replayed: a compiled query over records, from the first to its result. */
#ifndef CLI_REPLAYED_H
#define CLI_REPLAYED_H

#include "cli/output.h"
#include "replay/replay.h"

/* Runs to the end, shows results, then what was lost. replay: of q's image, closed at the end;
 * NULL: it could not be opened, as q's error says. The exit status, also of the output, which is
 * closed; errors are on standard error. */
int replayed_run(struct query *q, struct replay *replay, struct output *out);

#endif
