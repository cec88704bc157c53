/*
 * parallel: the streams of a trace side by side, in a thread for each CPU: for queries to which
 * the order of events is nothing. Each thread has its own interpreter and tables, which are
 * merged at the end; the result is that of one thread, byte for byte.
 */
#ifndef REPLAY_PARALLEL_H
#define REPLAY_PARALLEL_H

#include "replay/replay.h"
#include "trace/recorded.h"

/* May events come in any order, and can what they leave in the tables be merged? */
bool replay_parallel_may(const struct plan *plan, const struct bpf_image *image);
/* How many threads pay for the trace; less than 2: none. */
int replay_parallel_threads(const struct ctf *t);

/* While the threads run this one calls wait(self), now and then; NULL: nothing is to be done.
 * True: they end, with what they have. */
struct replay_parallel_wait {
	void *self;
	bool (*wait)(void *self);
};

/* Runs all events in n threads, after a recorded_begin that is true and before the first
 * recorded_next. 0, or negative after a fault of a program. */
int replay_parallel_run(struct replay *r, struct recorded *events, int n,
			const struct replay_parallel_wait *wait, struct err *e);

#endif
