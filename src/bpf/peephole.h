/*
 * peephole: makes finished instructions fewer, one small rule at a time.
 *
 * It knows what instructions do to registers and to the frame, and nothing else: no plan, no
 * tables. An instruction that goes is marked, none is moved, so that what jumps to it
 * comes to the next one, and what is known of each (its place in the query, its table) stays.
 */
#ifndef BPF_PEEPHOLE_H
#define BPF_PEEPHOLE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct peep_code {
	struct bpf_insn *insns;		/* changed in place */
	int *to;			/* where it jumps, or the function it names; -1: nowhere */
	bool *kept;			/* false: gone, or never there */
	int n;
	/* For each word of the frame that begins something: the word behind its end. Only
	 * what a thing's address was taken of can be reached through it. 0: nothing told. */
	const uint8_t *frame_ends;
};

void peephole(struct arena *arena, struct peep_code *code);

#endif
