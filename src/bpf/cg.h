/*
 * cg: what the parts of the code generator offer each other, and what agg/,
 * event/ and func/ need to emit their pieces.
 *
 * Registers, everywhere:
 *	R6	ctx: the tracepoint's arguments, the perf record or the decoded event
 *	R7	the row: value of the table, when an aggregation is updated, or the
 *		record in the ring buffer
 *	R8 R9	the begin's record, scratch: see cg_state.h
 *	R0-R5	anyone's; lost at each call
 * Frame: bytes of R10 downwards, handed out by cg_frame; freed by cg_frame_free in
 * the opposite order, an expression's at its end by itself. 512 bytes are all there is: long
 * strings go to scratch.
 */
#ifndef BPF_CG_H
#define BPF_CG_H

#include "bpf/asm.h"
#include "bpf/image.h"

struct cg {
	struct arena *arena;
	struct arena *work;		/* of the program that is made: emptied for the next */
	struct diag *diag;
	struct plan *plan;
	const struct plan_options *options;
	struct bpf_image *image;
	struct as *as;			/* of the program being emitted */
	const struct p_event *event;
	const struct p_branch *branch;
	int frame_used, frame_most;	/* bytes */
	bool atomic;			/* updates of R7's row must be atomic */
	struct cg_state *state;		/* cg_*.c's own */
};

/* ---- for agg/: update of one aggregation. R7 is the row, a->state_off the state. ---- */

/* dst = argument i: a word; of a STRING its address (padded with zeros to
 * arg[i].bytes). Keeps R7; dst is one of R0-R5. */
void cg_arg(struct cg *cg, const struct p_agg *a, int i, int dst);
/* u64 at R7 + off: += src, or an atomic add when needed. src is not R0; clobbers R0. */
void cg_add(struct cg *cg, uint32_t off, int src);
/* A number of n words at R7 + off, the lowest first: += that of the registers src, each
 * add with the carry of the one before. Clobbers R0 and src. */
void cg_add_words(struct cg *cg, uint32_t off, const int *src, int n);
/* u64 at R7 + off = larger of it and src (unsigned). src is R1; clobbers R0 R2 R3. */
void cg_max(struct cg *cg, uint32_t off);
/* dst = floor(log2(src)) + 1, 0 for 0; src is lost. dst != src, one scratch register. */
void cg_log2(struct cg *cg, int dst, int src, int scratch);

/* ---- frame, counters ---- */
int cg_frame(struct cg *cg, int bytes);		/* its offset from R10, negative, 8-aligned */
void cg_frame_free(struct cg *cg, int bytes);
/* Adds 1 to a plan counter (none if counter < 0). Clobbers R0-R5. */
void cg_count(struct cg *cg, int counter);

/* ---- expressions ---- */

/* R0 = value of a word expression; jumps to none (if e->may_none) instead. Keeps
 * R6-R9 and the frame. */
void cg_word(struct cg *cg, const struct px *e, as_label none);
/* R0 = the field, by its loc (the one place where the executors differ). */
void cg_field(struct cg *cg, const struct cat_field *f, as_label none);
void cg_common(struct cg *cg, int common);	/* R0 = it, of the running thread; clobbers R1-R5 */

/* ---- for func/, too ---- */

/* Memory that survives a call: off bytes from R10 (frame), R9 (scratch), R8
 * (record) or R7 (row or ring record). */
struct place {
	int reg, off;
};
void cg_addr(struct cg *cg, int dst, struct place p);		/* dst = address */
/* Zeroes bytes (a multiple of 8) there. */
void cg_zero(struct cg *cg, struct place p, int bytes);
/* bpf_probe_read_kernel or _user; EITHER by the address's top bit. R1 R2 R3 set. */
void cg_probe_call(struct cg *cg, uint8_t space);
/* A limit that the query reached, at the place that is being emitted. Sticky. */
void cg_fail(struct cg *cg, const char *why);

/* Both into registers: R0 = a, R1 = b. */
void cg_pair(struct cg *cg, const struct px *a, const struct px *b, as_label none);
bool cg_pointerish(const struct px *e);		/* may be a typed pointer */
/* R0 is a pointer for the verifier: makes a number of it. Clobbers R1. */
void cg_scalar(struct cg *cg);
/* R0 cut to size bytes and extended by sign. */
void cg_extend(struct cg *cg, int size, bool is_signed);
/* R0 = the size bits at offset of it. */
void cg_bits(struct cg *cg, int offset, int size, bool is_signed);

/* The code of functions that take a file of their own. At most room bytes: struct img_head,
 * then the text; usym, wakers and preempted_by: the id of a stack; waker: a string. */
void cg_path(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_fullpath(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_cmdline(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_argv(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_usym(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_wakers(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_preempted_by(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_waker(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_hog(struct cg *cg, const struct px *e, struct place at, int room, as_label none);
void cg_hog_tid(struct cg *cg, const struct px *e, as_label none);
void cg_in_flight(struct cg *cg, const struct px *e, as_label none);
void cg_file(struct cg *cg, const struct px *e, as_label none);

#endif
