/*
 * Trees of calls as a picture: each call is a box as wide as it took, below the one that it
 * was in and where it was in its time. See picture_tree of picture.h.
 *
 * What is between two calls is a node without a frame, so that widths alone say where each
 * box is. By path there are none of these, and calls of the same callers are one node.
 */
#include <string.h>

#include "table/tree.h"
#include "view/format.h"
#include "view/picture.h"

#define NODES_MOST 2000000

/* The calls that are open where a row stands, from the outermost on. */
struct open_call {
	int node;
	uint64_t end_ns;		/* of the last call in it, at first its begin */
};

static int thread_node(struct sink *v, const struct cell *row)
{
	struct buf *b = &v->text;

	buf_clear(b);
	if (row[TREE_COMM].kind == CELL_BYTES)
		buf_add(b, row[TREE_COMM].bytes.p, (size_t)row[TREE_COMM].bytes.n);
	if (!v->by_path)
		buf_printf(b, "-%lld", (long long)row[TREE_TID].i);
	return flame_child(&v->flame, 0, flame_frame(&v->flame, (struct str){ b->p ? b->p : "", (int)b->n }, NULL,
						    FRAME_MARK));
}

static int call_frame(struct sink *v, const struct sink_query *q, const struct cell *row)
{
	struct buf *b = &v->text;

	buf_clear(b);
	format_cell(b, FORM_ADAPTED, &q->columns[TREE_NAME].type, &row[TREE_NAME], v->o.names);
	return flame_frame(&v->flame, (struct str){ b->p ? b->p : "", (int)b->n }, NULL, FRAME_USER);
}

/* So much of the node's own time is a node in it. */
static void put_in(struct sink *v, int parent, int node, uint64_t ns)
{
	struct flame_node *up = &v->flame.nodes[parent];

	up->self[0] -= ns < up->self[0] ? ns : up->self[0];
	flame_add(&v->flame, node, 0, ns);
}

static void add_call(struct sink *v, const struct sink_query *q, const struct cell *row,
		     struct open_call *open, int depth)
{
	uint64_t begin = (uint64_t)row[TREE_BEGIN].i, ns = (uint64_t)row[TREE_DURATION].i;
	int parent = depth ? open[depth - 1].node : thread_node(v, row);
	int node, frame = call_frame(v, q, row);

	if (!v->by_path && depth && begin > open[depth - 1].end_ns)
		put_in(v, parent, flame_append(&v->flame, parent, -1), begin - open[depth - 1].end_ns);
	node = v->by_path ? flame_child(&v->flame, parent, frame) : flame_append(&v->flame, parent, frame);
	if (depth) {
		open[depth - 1].end_ns = begin + ns;
		put_in(v, parent, node, ns);
	} else {
		flame_add(&v->flame, node, 0, ns);
	}
	open[depth] = (struct open_call){ node, begin };
}

void picture_tree(struct sink *v, const struct sink_query *q, const struct table *t)
{
	struct open_call open[FLAME_DEPTH - 2];
	int n = 0;			/* of them */

	if (q->index)
		return;
	for (int i = 0; i < t->rows.n; i++) {
		const struct cell *row = t->rows.v[i];
		int64_t depth = row[TREE_DEPTH].i;

		if (v->flame.n + 3 > NODES_MOST || depth >= FLAME_DEPTH - 2) {
			v->skipped++;
			continue;
		}
		n = depth < n ? (int)depth : n;
		add_call(v, q, row, open, n);
		n++;
	}
}
