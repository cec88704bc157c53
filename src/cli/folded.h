/*
 * folded: stacks that somebody wrote, given to a view a row at a time: folded stacks
 * ("main;work 12"), or culprit's own JSON with a column of stacks. Any bytes are
 * harmless; what is no stack is counted.
 */
#ifndef CLI_FOLDED_H
#define CLI_FOLDED_H

#include "base/err.h"
#include "view/view.h"

struct folded {
	const struct view_ops *ops;
	struct sink *view;
	struct column columns[2];	/* the stack, the value; JSON says its own type */
	struct sink_query query;	/* .index: which side */
	bool by_names;			/* numbers of processes, threads and CPUs are no frames: two
					 * runs of one program have others */
	bool pairs;			/* a line has two values, for both sides */
	bool told;			/* the view knows the columns */
	uint64_t scale;			/* of folded values: 1000 for us */
	uint64_t stacks;		/* given to the view */
	uint64_t wrong;			/* lines without a stack or a number */
	struct arena names;
	const char *stack, *value;	/* JSON's columns; NULL: no head yet */
};

void folded_init(struct folded *f, const struct view_ops *ops, struct sink *view,
		 struct type type, uint64_t scale);
void folded_fini(struct folded *f);
/* All of a file's lines. 0, -errno of a read that failed, or -EBADMSG: more than this and more
 * than half of it are no stacks, and it is not read to an end that it may not have. */
#define FOLDED_WRONG_BYTES (16u << 20)
int folded_read(struct folded *f, FILE *file);
/* One line without its end; it is changed. */
void folded_line(struct folded *f, char *line, size_t n);

#endif
