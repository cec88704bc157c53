/* cg_expr: expressions: words, conditions, texts. What func/ may use is in cg.h. */
#ifndef BPF_CG_EXPR_H
#define BPF_CG_EXPR_H

#include "bpf/cg_state.h"

/* ---- cg_expr.c ---- */

/* Jumps to `to` when the condition is `when`, else falls through. */
void cg_jump_when(struct cg *cg, const struct px *e, bool when, as_label to);
/* A key or kept value: word (8 bytes) or padded string. */
void cg_value(struct cg *cg, const struct px *e, struct place at, const struct type *t,
	      as_label none);
/* n keys, one behind the other. */
void cg_keys(struct cg *cg, struct px *const *keys, const struct type *types, int n, struct place at,
	     as_label none);
/* Where the string of a slot or let is. */
struct place cg_slot_text(struct cg *cg, const struct px *e, as_label none);
struct place cg_let_text(struct cg *cg, const struct px *e, as_label none);

/* ---- cg_string.c ---- */

/* Writes a string-like value to `at`, at most room bytes; zero-padded to room
 * (a multiple of 8) when pad. */
void cg_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
	     as_label none);
/* Falls through when equal, else jumps to differ. */
void cg_string_differ(struct cg *cg, const struct px *a, const struct px *b, as_label differ,
		      as_label none);
void cg_string_in(struct cg *cg, const struct px *e, as_label found, as_label none);

/* ---- cg_load.c, cg_arith.c, cg_match.c ---- */

void cg_load(struct cg *cg, const struct px *e, as_label none);
void cg_element(struct cg *cg, const struct px *e, as_label none);
void cg_address(struct cg *cg, const struct px *e, as_label none);
void cg_binary(struct cg *cg, const struct px *e, as_label none);
void cg_unary(struct cg *cg, const struct px *e, as_label none);
void cg_match(struct cg *cg, const struct px *e, as_label none);	/* R0 = 1 or 0 */

/* ---- cg_open.c: a period that is open here ---- */

/* R0 = the record of the period that is open here, else none. Keeps R6-R9. */
void cg_open_find(struct cg *cg, const struct p_look *look, as_label none);
/* The same with the key of what was found, written to `to` first; it is in R0. */
void cg_open_find_key(struct cg *cg, const struct p_look *look, struct place to, as_label none);
/* R0 = the record that the thread, a u64, began last and that is open. Keeps R6-R9. */
void cg_open_find_last(struct cg *cg, const struct p_period *p, struct place thread, as_label none);
void cg_open_is(struct cg *cg, const struct px *e, as_label none);
void cg_open_time(struct cg *cg, const struct px *e, as_label none);
void cg_open_depth(struct cg *cg, const struct px *e, as_label none);
void cg_open_slot(struct cg *cg, const struct px *e, as_label none);
void cg_open_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		  as_label none);

/* ---- cg_follow.c ---- */

void cg_followed(struct cg *cg, const struct px *e, as_label none);	/* R0 = 1 or 0 */

#endif
