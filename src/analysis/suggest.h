/*
 * suggest: which callees below MAIN eat the time of its slow calls, from what its thread
 * was seen to do: samples on the CPU, each worth its interval, and waits.
 *
 *	suggest_seen(), suggest_call()		as rows come, in any order
 *	suggest_rank()				what was seen in slow calls, below MAIN
 *	suggest_callees()			the callees of one place, the costliest first
 *
 * Only what has a name for a query is in the tree: what else was on the way is left out of
 * it, so that its callees take its place. Some is only named: it can't be traced here.
 */
#ifndef ANALYSIS_SUGGEST_H
#define ANALYSIS_SUGGEST_H

#include "view/flame.h"

#define SUGGEST_ROWS_MOST 4000000

enum suggest_side { SUGGEST_ON, SUGGEST_OFF };

/* What the tree asks of a frame. */
struct suggest_ops {
	/* NULL: MAIN is no function, the whole stack is below it. */
	bool (*is_main)(void *self, const struct flame_frame *f);
	/* How a query names it; NULL: it is left out. *part: it can be traced. */
	const char *(*source)(void *self, const struct flame_frame *f, bool *part);
	void *self;
};

struct suggest_seen {
	int64_t tid, time_ns;
	uint64_t ns;
	int node;			/* in `all` */
	uint8_t side;
};

struct suggest_call {
	int64_t tid, begin_ns, end_ns;
};

struct suggest {
	struct flame all, below;
	VEC(struct suggest_seen) seen;
	VEC(struct suggest_call) calls;
	uint64_t dropped;		/* rows past SUGGEST_ROWS_MOST */
	/* after suggest_rank */
	uint64_t calls_ns;		/* of the slow calls, those inside of others once */
	uint64_t ns[2];			/* seen in them, together at most calls_ns */
	uint64_t spinning_ns;		/* of ns[SUGGEST_ON], on locks of the kernel */
	uint64_t unplaced_ns;		/* of all, stacks that MAIN was not in */
};

void suggest_init(struct suggest *s);
void suggest_fini(struct suggest *s);
void suggest_add(struct suggest *s, int64_t tid, int64_t time_ns, const struct stack *stack,
		 enum suggest_side side, uint64_t ns);
void suggest_add_call(struct suggest *s, int64_t tid, int64_t begin_ns, int64_t duration_ns);
void suggest_rank(struct suggest *s, const struct suggest_ops *ops);

/* Of a node of `below`, whose frame's name is a source. */
uint64_t suggest_ns(const struct suggest *s, int node);
bool suggest_is_part(const struct suggest *s, int node);
/* The next place, from `node` on, that has more than one callee worth a word: wrappers, all
 * of whose time is in one callee, are stepped over. */
int suggest_branch(const struct suggest *s, int node);
/* At most n callees with at least least_ns each. Returns how many. */
int suggest_callees(const struct suggest *s, int node, uint64_t least_ns, int *callees, int n);

#endif
