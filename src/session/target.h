/*
 * target: where queries run: the running machine (live.h), a recorded trace (recorded.h), events that
 * were made (made.h). Several sessions may have one target.
 */
#ifndef SESSION_TARGET_H
#define SESSION_TARGET_H

#include "bpf/executor.h"
#include "session/compile.h"
#include "session/spec.h"
#include "table/names.h"

struct target;

/* An image that is loaded there. */
struct loaded {
	struct executor *executor;
	struct names names;
	double (*meminfo)(void *self, const char *name);	/* for table stages; NULL: nobody knows */
	void *self;						/* the target's own */
};

struct target_ops {
	/* Before the text is compiled: what the target has, into spec->options; fills t->catalog.
	 * 0 or -errno. */
	int (*prepare)(struct target *t, struct spec *spec, struct err *e);
	/* The text is compiled: what only that needed can go. NULL: nothing does. */
	void (*settle)(struct target *t);
	/* 0, or -errno with e filled and nothing to unload. What it is given outlives it. */
	int (*load)(struct target *t, const struct spec *spec, struct compile *c, struct loaded *to,
		    struct err *e);
	void (*unload)(struct loaded *l);
};

struct target {
	const struct target_ops *ops;
	const struct catalog *catalog;		/* what can be named there, once it is prepared */
};

#endif
