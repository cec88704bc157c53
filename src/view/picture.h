/*
 * picture: what the views that draw stacks share. They gather all that comes and write
 * at the end: each is an emit function (cli/folded.c, pprof.c, speedscope.c, svg.c).
 *
 * Of the columns: stacks make the tree, with the words of other keys as its outermost
 * frames; a second stack stands above the first, turned round, as a waker's does. The
 * first value that is a number is the width; rows without one count 1.
 */
#ifndef VIEW_PICTURE_H
#define VIEW_PICTURE_H

#include "view/flame.h"
#include "view/heat.h"
#include "view/out.h"
#include "view/view.h"

/* Boxes in a file: a hundred times more than a screen has room for. */
#define PICTURE_BOXES 50000

struct sink {
	struct view_options o;
	struct out out;
	struct flame flame;
	struct heat *heat;			/* html, heatmap; else NULL */
	bool diff;
	void (*emit)(struct sink *v);
	struct type unit;			/* of the values */
	const char *heat_name;			/* what the heat map is of */
	struct type heat_unit;
	const char *value_name;			/* NULL: rows are counted */
	bool icicle;				/* of trees; else stacks */
	bool by_path;				/* trees become stacks: a call's own time by its callers */
	uint64_t skipped;			/* rows without a stack or a value */
	struct buf notes;			/* what was lost, a sentence each */
	struct buf text;			/* scratch */
};

struct sink *picture_open(const struct view_options *o, void (*emit)(struct sink *v));
void picture_query(struct sink *v, const struct sink_query *q);
void picture_row(struct sink *v, const struct sink_query *q, uint64_t time_ns,
		 const struct cell *cells);
void picture_table(struct sink *v, const struct sink_query *q, const struct table *t);
/* Calls as they nest: a thread beside the other, in them x is time; by_path: calls of the same callers
 * are one. */
void picture_tree(struct sink *v, const struct sink_query *q, const struct table *t);
void picture_losses(struct sink *v, const struct loss *l, int n);
int picture_flush(struct sink *v);
int picture_close(struct sink *v);

/* Of a view that has trees by_path. */
struct sink *picture_open_by_path(const struct view_options *o, void (*emit)(struct sink *v));

/* For the rows of the registry. */
#define PICTURE_SINK .query = picture_query, .row = picture_row, .table = picture_table, \
	.losses = picture_losses, .flush = picture_flush

/* view_ops.suits of a view that needs a stack. */
const char *picture_needs_stack(const struct sink_query *q);
/* The same where a tree has them, too. */
const char *picture_needs_path(const struct sink_query *q);

/* What it is of: the query's own text, else the tool. */
const char *picture_title(const struct sink *v);
/* "samples" "ns" "bytes", or the column's name */
const char *picture_unit(const struct sink *v);
/* A string of JSON, quotes included, that is harmless inside a <script>, too. */
void picture_string(struct buf *b, const char *p);
/* Appends the frames from the outermost to node as the texts that folded files have. */
void picture_folded(struct buf *b, const struct flame *f, int node);

#endif
