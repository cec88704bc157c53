/*
 * tree: rows of calls, each made when its call ended, put in the order in which they
 * began, a tree at a time.
 *
 * A row says how many calls were open around it: it takes what came before it on its
 * thread, began in it and was deeper. The tree is whole when a row comes that was inside
 * of nothing.
 */
#ifndef TABLE_TREE_H
#define TABLE_TREE_H

#include "table/table.h"

/* The columns of a row. */
enum tree_column {
	TREE_BEGIN, TREE_DURATION, TREE_TID, TREE_COMM, TREE_CPU, TREE_END_CPU,
	TREE_DEPTH,			/* calls open around it; in a tree: rows around it */
	TREE_NAME,			/* none: no row, only the end of the tree */
	TREE_ROWS,			/* made on the thread since nothing was open, with this one;
					 * in a tree: how many of it were lost; none: it is the
					 * inside of what has not ended */
	TREE_COLUMNS
};

/* Rows that wait at once; more, and trees are shown in parts. */
#define TREE_ROWS_MOST 200000

struct trees;

/* levels: no rows with so many around them; 0: all. */
struct trees *trees_open(const struct column *columns, int levels);
void trees_close(struct trees *t);
/* The tree that this row ends, until the next call; NULL: it is not whole yet. */
const struct table *trees_add(struct trees *t, const struct cell *cells);
/* At the end, again and again: what waits for calls that have not ended. NULL: no more. */
const struct table *trees_rest(struct trees *t);

#endif
