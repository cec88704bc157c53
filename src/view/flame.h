/*
 * flame: many stacks as one tree, from which every picture of stacks is made. A node is
 * a frame below its callers; the root, node 0, is all. Each value is counted on one of
 * two sides: pictures of a difference use both, others the first.
 *
 *	flame_add(&f, flame_child(&f, 0, flame_frame(&f, ...)), 0, value)
 *	flame_finish(&f, most)			totals, order, what is left out
 *
 * Every number is bounded: sums stop at UINT64_MAX, stacks are cut at FLAME_DEPTH, and
 * where FLAME_NODES are there already at the last frame that has a node.
 */
#ifndef VIEW_FLAME_H
#define VIEW_FLAME_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "table/stack.h"

#define FLAME_DEPTH 1024
#define FLAME_NODES (2 << 20)			/* about 350 MB */

struct flame_frame {
	const char *name;			/* never NULL */
	const char *module;			/* or NULL */
	uint8_t kind;				/* enum frame_kind */
};

struct flame_node {
	int parent, frame;			/* -1: the root; frame -1: also what is between calls */
	int depth;				/* the root's is 0 */
	int place;				/* in `order`; -1: left out */
	uint64_t self[2];			/* that ended here */
	uint64_t total[2];			/* after flame_finish */
};

struct flame {
	struct arena arena;			/* the names */
	struct map by_name;
	struct buf key;				/* scratch */
	VEC(struct flame_frame) frames;
	struct flame_node *nodes;
	int n, cap;
	int *slots;				/* parent and frame -> node */
	uint32_t n_slots;
	uint64_t cut;				/* stacks that were deeper than FLAME_DEPTH */
	uint64_t full;				/* frames that got no node */
	bool in_time;				/* callees are in the order in which they were made */
	/* after flame_finish: nodes with callers before callees, callees by name, or in_time */
	int *order;
	int n_order;
	int left_out;				/* nodes */
};

void flame_init(struct flame *f);
void flame_fini(struct flame *f);
/* -1: there are FLAME_NODES, and this is another. */
int flame_frame(struct flame *f, struct str name, const char *module, int kind);
/* The node of a frame called by node; beyond FLAME_DEPTH or FLAME_NODES node itself. */
int flame_child(struct flame *f, int node, int frame);
/* A new node of its own, though there may be one of this frame; frame -1: time between calls. */
int flame_append(struct flame *f, int node, int frame);
void flame_add(struct flame *f, int node, int side, uint64_t value);
/* Keeps the `most` largest nodes. Nothing may be added afterwards. */
void flame_finish(struct flame *f, int most);
/* The nearest node from `node` to the root that was kept. */
int flame_kept(const struct flame *f, int node);

uint64_t flame_sum(uint64_t a, uint64_t b);	/* UINT64_MAX where it is too large */

#endif
