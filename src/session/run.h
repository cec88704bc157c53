/*
 * run: an image in an executor, from the first event to the last row: intervals, `first N`,
 * rows and their cells, the tables of queries and joins, what is open, what was lost. Whoever
 * runs queries uses it, with the live executor or with that of recorded events.
 *
 *	r = run_open(executor, &options, err);
 *	run_begin(r);				from here on events come
 *	run_follow(r, &happened);		until an end; intervals that end are handed out
 *		or run_step(r, &happened) whenever run_wait's descriptors or time say so
 *	run_end(r);				no more events: the rest is handed out
 *	run_losses(r, arena, &losses);
 *	run_close(r);				the executor stays
 */
#ifndef SESSION_RUN_H
#define SESSION_RUN_H

#include "bpf/executor.h"

struct run;

struct run_options {
	const struct plan *plan;
	const struct bpf_image *image;
	uint64_t duration_ns;		/* 0: no end */
	int64_t intervals;		/* 0: no end */
	bool checked;			/* see struct replay_options */
	const struct names *names;	/* NULL: stacks are told apart by their addresses */
	/* What is found; each may be NULL. cells are valid during the call. */
	void *self;
	void (*row)(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells);
	/* An aggregating query's interval, before joins and table stages: its one table, or one for
	 * each part of its join. a: until the call returns. */
	void (*tables)(void *self, struct arena *a, const struct p_query *q, struct table *const *t,
		       int n);
	/* Now and then, and after tables. False: nobody reads any more, which is an end. */
	bool (*flush)(void *self);
};

/* NULL and e filled: the rows of what is open cannot be made here. e is for all of the run. */
struct run *run_open(struct executor *x, const struct run_options *o, struct err *e);
/* These are 0 or -errno with e filled. */
int run_begin(struct run *r);
int run_follow(struct run *r, unsigned *happened);	/* what ended it: enum executor_happened; 0: time */
/* The same without waiting. happened: 0: it goes on; RUN_TIME: the time ended it. */
int run_step(struct run *r, unsigned *happened);
#define RUN_TIME (1u << 31)		/* or the intervals are over, or nobody reads */
/* What run_step waits for: fills at most EXECUTOR_FDS_MOST and returns how many; and for how long at
 * most, UINT64_MAX: no limit. */
int run_wait(const struct run *r, struct pollfd *fds, uint64_t *left_ns);
/* Hands out each table as it is now, with `snapshot` set: nothing is cleared, no interval ends. */
int run_snapshot(struct run *r);
int run_end(struct run *r);
/* All that can be lost, also with counts of 0: the plan's counters first. Returns how many. */
int run_losses(struct run *r, struct arena *a, struct loss **losses);
void run_close(struct run *r);

#endif
