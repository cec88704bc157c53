/* replayed: a compiled query over records, from the first to its result. */
#ifndef REPLAYED_H
#define REPLAYED_H

#include "output.h"
#include "replay/replay.h"

/* Runs to the end, shows results, then what was lost. The exit status, also of the
 * output, which is closed; errors are on standard error. */
int replayed_run(struct query *q, const struct replay_options *options,
		 const struct record_source *source, struct output *out);

#endif
