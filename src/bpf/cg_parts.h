/* cg_parts: texts of several parts. */
#ifndef BPF_CG_PARTS_H
#define BPF_CG_PARTS_H

#include "bpf/cg_state.h"

struct cg_parts {
	struct place head;		/* struct img_head, in scratch; the text behind it */
	struct place text;		/* 2 * room + 8 */
	int room;
};

/* room: of the head and the text. */
struct cg_parts cg_parts_begin(struct cg *cg, int room);
/* The byte at off of the head. */
void cg_parts_set(struct cg *cg, const struct cg_parts *p, int off, int value);
/* R1 = where the next part goes, R2 = its room; to full when there is none. */
void cg_parts_next(struct cg *cg, const struct cg_parts *p, as_label full);
/* A part of R0 bytes with its NUL was written, or an error: to `not`. terminator: instead
 * of the NUL. */
void cg_parts_add(struct cg *cg, const struct cg_parts *p, int terminator, as_label not);
/* Copies head and text to `at`, as much as fits, and counts what is missing. */
void cg_parts_end(struct cg *cg, const struct cg_parts *p, struct place at, int room);
/* The same for what was copied: from a slot, or from where it was counted. */
void cg_parts_copied(struct cg *cg, struct place at, int room, bool slot);

#endif
