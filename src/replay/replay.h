/*
 * replay: runs an image over decoded events in this process: the executor of
 * recorded and made events.
 *
 *	r = replay_open(err, plan, image, &options, &sink);
 *	for each event, ordered by time: replay_event(r, &record);
 *	replay_finish(r);		the last interval's tables
 *	replay_close(r);
 *
 * Needs no privilege. Time is the events' own. Tables grow as needed unless the
 * options say otherwise; intervals end by the events' time.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "base/err.h"
#include "bpf/image.h"
#include "replay/record.h"

struct replay_options {
	bool checked;		/* each load and store is verified to be inside what the
				 * program may touch: for tests and fuzzing, slower */
	bool limits;		/* tables are as small as they would be in the kernel */
};

/* An interval's end. */
struct replay_window {
	struct arena *arena;	/* freed when the call returns */
	int interval;		/* 0, 1, ... */
	uint64_t begin_ns, end_ns;
};

struct replay_sink {
	void *self;
	/* A printed row, in the order of printing; valid during the call. */
	void (*row)(void *self, const struct img_rows *rows, const struct img_record *rec);
	/* An aggregating query's interval: what was gathered, before joins and table
	 * stages; the one table of the query, or one for each part of its join. */
	void (*tables)(void *self, const struct p_query *q, struct table *const *t, int n,
		       const struct replay_window *w);
};

struct replay;

/* NULL, with causes in e, when a program or table is not one that can be run here. */
struct replay *replay_open(struct err *e, const struct plan *plan,
			   const struct bpf_image *image, const struct replay_options *o,
			   const struct replay_sink *sink);
/* Another one of the same image, with tables of its own, for another thread; and what it has
 * gathered and counted goes into r. For images that beside_may allows. */
struct replay *replay_another(struct err *e, const struct replay *r);
void replay_merge(struct replay *r, const struct replay *other);
/* 0; 1 when no query wants more events (first N); negative after a fault of a program,
 * which is our own mistake. */
int replay_event(struct replay *r, const struct record *rec, struct err *e);
void replay_finish(struct replay *r);
/* The stack of an id; symbol(self, address) names its frames. */
const struct stack *replay_stack(const struct replay *r, struct arena *a, const void *id, int bytes,
				 const char *(*symbol)(void *self, uint64_t address), void *self);
uint64_t replay_counter(const struct replay *r, int counter);	/* of plan->counters */
uint64_t replay_lost(const struct replay *r);	/* events that the trace lost */
void replay_close(struct replay *r);

#endif
