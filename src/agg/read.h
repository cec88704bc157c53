/*
 * read: the table of an aggregating query out of the maps of whoever ran its programs. What the
 * rows in them mean is gather's and worst's.
 */
#ifndef AGG_READ_H
#define AGG_READ_H

#include "bpf/executor.h"
#include "table/alike.h"

struct reading {
	const struct bpf_image *image;
	const struct img_table *t;
	int half;			/* 0 or 1 where t->doubled, else 0 */
	bool clear;			/* empty what was read */
	double seconds;			/* that were counted */
	struct alike *alike;		/* rows whose stacks are shown alike are one; NULL: are not */
	const struct table *only;	/* `in .. over`: the periods that took so long, or NULL */
};

/* Before the table stages. 0 or -errno. */
int read_table(const struct map_source *maps, const struct reading *r, struct arena *a,
	       struct table **out);

#endif
