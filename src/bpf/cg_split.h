/* cg_split: what a row's duration was made of. */
#ifndef BPF_CG_SPLIT_H
#define BPF_CG_SPLIT_H

#include "bpf/cg_state.h"

/* A row's record, before it goes into the table: no part is open. */
void cg_split_begin(struct cg *cg, const struct p_period *p, struct place record);
/* At the row's end: takes the running sums out of its live record R8. They are in the
 * result until cg_split_end makes times of them, in the copy R8. */
struct place cg_split_take(struct cg *cg, const struct p_period *p);
void cg_split_end(struct cg *cg, const struct p_period *p, struct place taken);
/* A part's begin: which rows it is credited to goes into its record. */
void cg_tickets_take(struct cg *cg, const struct p_action *act, struct place record);
/* Its end, or a new begin in its place: R8 is its record. */
void cg_tickets_leave(struct cg *cg, const struct p_period *p);
/* Where a slot, and a part's time with its count behind it, are in the row's record. */
int cg_split_slot_off(const struct p_period *p, int slot);
int cg_split_time_off(const struct p_period *p, int part);
/* R2 = R7 + 16 * (R1 - 1), if R1 is a part + 1. */
void cg_split_part(struct cg *cg, const struct p_period *p, as_label none);
/* R7->time[R1 - 1] -= or += now, if R1 is a part + 1. */
void cg_split_time(struct cg *cg, const struct p_period *p, bool begins);

/* ---- cg_thread_state.c ---- */

void cg_state_change(struct cg *cg, const struct p_action *act, as_label done);
/* Behind that: to the row that this one was inside of. */
void cg_split_outer(struct cg *cg, const struct p_period *p);

/* ---- cg_async.c ---- */

/* R0 = the word of none open, of the generation R0. */
void cg_async_none(struct cg *cg);
/* One more or one less is open in the word at R7 + off: changed if it is the first, or was the last. */
void cg_async_change(struct cg *cg, const struct p_period *p, int off, bool more,
		     as_label changed, as_label same);
/* The word at R8 + off goes to `to`. */
void cg_async_take(struct cg *cg, int off, struct place to);
/* To `closed` if no instance is open in the word, a register, which is clobbered. */
void cg_async_is_open(struct cg *cg, int word, as_label closed);
/* R1 = the time of the word R1, R0 being now. Clobbers R2 R3. */
void cg_async_time(struct cg *cg);

#endif
