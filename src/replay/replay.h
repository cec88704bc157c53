/*
 * replay: runs an image over decoded events in this process: the executor (bpf/executor.h)
 * of recorded and made events.
 *
 * Needs no privilege. Time is the events' own. Tables grow as needed unless the
 * options say otherwise.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "bpf/executor.h"
#include "lang/record.h"

struct replay_options {
	bool checked;		/* each load and store is verified to be inside what the
				 * program may touch: for tests and fuzzing, slower */
	bool limits;		/* all tables are as small as they would be in the kernel */
	bool rows_limit, open_limit;	/* those of rows are, those of begins */
};

struct replay;

/* Where events come from, ordered by time. */
struct record_source {
	void *self;
	/* Before the first: runs what needs no order in threads of its own; NULL: nothing. 0, or
	 * negative with e filled. */
	int (*run)(void *self, struct replay *r, struct err *e);
	/* The next one, valid until the next call; NULL: no more. NULL itself: there are none. */
	const struct record *(*next)(void *self);
};

/* NULL, with causes in e, when a program or table is not one that can be run here. */
struct replay *replay_open(struct err *e, const struct plan *plan,
			   const struct bpf_image *image, const struct replay_options *o,
			   const struct record_source *source);
struct executor *replay_executor(struct replay *r);
/* Another one of the same image, with tables of its own, for another thread; and what it has
 * gathered and counted goes into r. For images that replay_parallel_may allows. */
struct replay *replay_another(struct err *e, const struct replay *r);
void replay_merge(struct replay *r, const struct replay *other);
/* Runs one without the source: for what reads events in threads. 0, EXECUTOR_ENOUGH, or negative
 * after a fault of a program, which is our own mistake. */
int replay_event(struct replay *r, const struct record *rec, struct err *e);
/* The stack of an id; symbol(self, address) names its frames. */
const struct stack *replay_stack(const struct replay *r, struct arena *a, const void *id, int bytes,
				 const char *(*symbol)(void *self, uint64_t address), void *self);
/* The same without names: the trace says nothing of what was at an address. self: the replay. */
const struct stack *replay_show_stack(void *self, struct arena *a, const void *id, int bytes);
/* The frames of a stack by its id, NULL: they found no room. */
const struct img_stack *replay_frames(const struct replay *r, const void *id);
void replay_close(struct replay *r);

#endif
