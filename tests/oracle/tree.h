/*
 * tree: how many of a tree's periods are open on each thread, and how many rows it had since none was.
 */
#ifndef ORACLE_TREE_H
#define ORACLE_TREE_H

#include "oracle/eval.h"
#include "table/tree.h"

struct nest {
	uint64_t depth, rows;
};

static void nest_begin(struct nest *n, const struct p_period *p, const struct opened *old, struct begun *begun)
{
	if (!p->tree)
		return;
	if (old)
		n->depth = old->begun->slots[p->tree_slot].bits;
	begun->slots[p->tree_slot] = number(n->depth++);
}

/* More than now were not open. */
static void nest_end(struct nest *n, const struct opened *o)
{
	struct value *depth;

	if (!o->period->tree)
		return;
	depth = &o->begun->slots[o->period->tree_slot];
	if (depth->bits > n->depth)
		depth->bits = n->depth;
	n->depth = depth->bits;
}

/* A row is made, or the outermost makes none: how many since nothing was open. */
static uint64_t nest_row(struct nest *n, bool made)
{
	uint64_t rows = n->rows += made;

	if (!n->depth)
		n->rows = 0;
	return rows;
}

/* What is no expression: of the end of a tree without a row only whose it is, and how many rows. */
static bool is_of_tree(const struct cell *cells, int column, bool is_row)
{
	if (column == TREE_COMM || column == TREE_NAME)
		return column != TREE_NAME || (cells[column].kind != CELL_NONE) == is_row;
	return is_row || column == TREE_TID || column == TREE_ROWS || cells[column].kind == CELL_NONE;
}

#endif
