/*
 * What the two files of the walker through a program's stack share: the walk, which is in scratch
 * while it goes on.
 */
#ifndef BPF_CG_UNWIND_IMPL_H
#define BPF_CG_UNWIND_IMPL_H

#include "base/unwind.h"
#include "bpf/cg_state.h"

/* struct walk, u64 each */
enum {
	WALK_PC = 0, WALK_SP = 8, WALK_BP = 16,
	WALK_BACK = 24,			/* 1: pc is a return address, its call is before it */
	WALK_RANGE = 32,		/* number of the range that the last frame was in */
	WALK_KEY = 40,
	WALK_CUT = 48,			/* enum stack_cut */
	WALK_BY_BP = 56,		/* 1: this frame was found by a frame pointer */
	WALK_N = 64,			/* frames that were taken */
	WALK_PROBED = 72,		/* sp of the frame whose caller the kernel told last */
	WALK_WINDOW = 80,		/* address of what is in WALK_WORDS */
	WALK_WHOLE = 88,		/* how many of its bytes a whole word begins at, 0: of none */
	WALK_PLACE = 96,		/* as a slot of a found rule has it */
	WALK_ENTRY = 104,		/* 1: the first frame is a function at its first instruction */
	WALK_READ = 112,		/* what was read of a signal's frame, or of the kernel */
	WALK_READ_BYTES = 56,
	WALK_WORDS = WALK_READ + WALK_READ_BYTES,
	/* Of the stack at once. A stack of six frames took 1050 ns with a word at a time,
	 * 750 with 256 bytes, 670 with 512, 580 with 1024. */
	WINDOW_BYTES = 1024,
	WALK_BYTES = WALK_WORDS + WINDOW_BYTES + 8
};

/* What the function gets, in the program's frame: pointers. */
enum { CONTEXT_WALK = 0, CONTEXT_PROCESS = 8, CONTEXT_FRAMES = 16, CONTEXT_BYTES = 24 };

/* In the function's frame: the process, where R7 has something else. */
enum { UNWIND_PROCESS_AT = -8 };

struct walk_labels {
	as_label place, rule, no_range, no_rule, by_bp, pointer, entered, step, stop;
	as_label absent, broken, whole, no_pointer, unread;
};

/* cg_unwind_rule.c: takes the walk's pc for a frame; R1 = the rule for it, or another way is taken. */
void cg_unwind_rule(struct cg *cg, const struct walk_labels *l);

#endif
