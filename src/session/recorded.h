/* recorded: a trace as a target. One session at a time reads it. */
#ifndef SESSION_RECORDED_H
#define SESSION_RECORDED_H

#include "session/target.h"
#include "trace/recorded.h"

struct recorded_target {
	struct target target;
	struct ctf *trace;
	struct recorded *events;
	struct catalog catalog;
	/* Called now and then while it is read; NULL: nobody wants to know. */
	void (*look)(void *self, bool at_end);
	void *self;
	/* since it was loaded: */
	int n_threads;			/* that read it */
	bool stopped;			/* spec->stop_fd could be read: later events are missing */
	uint64_t last_ns;		/* time of the last record; of one thread */
};

/* 0, or -errno with e filled; to be closed in any case. */
int recorded_target_open(struct recorded_target *t, const char *path, struct err *e);
void recorded_target_close(struct recorded_target *t);

#endif
