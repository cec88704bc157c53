/* replayed: a compiled query over records, from the first to its result. */
#ifndef REPLAYED_H
#define REPLAYED_H

#include "output.h"
#include "replay/replay.h"

/* Where records come from: the next one, or NULL. */
struct record_source {
	void *self;
	/* Before the first: runs what needs no order in threads of its own; NULL: nothing. 0, or
	 * negative with e filled. */
	int (*run)(void *self, struct replay *r, struct err *e);
	const struct record *(*next)(void *self);
};

/* Runs to the end, shows results, then what was lost. The exit status, also of the
 * output, which is closed; errors are on standard error. */
int replayed_run(struct query *q, const struct replay_options *options,
		 const struct record_source *source, struct output *out);

#endif
