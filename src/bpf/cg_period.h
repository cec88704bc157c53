/* cg_period: the ends of periods, and where their begins are. */
#ifndef BPF_CG_PERIOD_H
#define BPF_CG_PERIOD_H

#include "bpf/cg_state.h"

/* ---- cg_period.c ---- */

void cg_begin(struct cg *cg, const struct p_action *act, as_label done);
void cg_begin_left_out(struct cg *cg, const struct p_action *act);
/* A thread's begin goes with it. */
void cg_exit(struct cg *cg, const struct p_action *act, as_label done);
void cg_move(struct cg *cg, const struct p_action *act, as_label done);
/* The context is a begin's record: its row, as long as it is by now. */
void cg_open_row(struct cg *cg, const struct p_action *act);
void cg_via(struct cg *cg, const struct p_action *act, as_label done);
void cg_end(struct cg *cg, const struct p_action *act, as_label done);

/* ---- cg_calls.c: STORE_CALLS ---- */

uint32_t cg_calls_bytes(const struct p_period *p);
/* Leaves R8 at the new record. */
void cg_begin_calls(struct cg *cg, const struct p_action *act, as_label done);
/* R8 = the record; jumps to done when there is none. */
void cg_find_calls(struct cg *cg, const struct p_action *act, as_label done);
void cg_take_calls(struct cg *cg);
void cg_exit_calls(struct cg *cg, const struct p_action *act, as_label done);

/* ---- cg_thread.c: periods by_thread ---- */

/* At a begin: into its record, before it is kept; after that; at the end. */
void cg_thread_before(struct cg *cg, const struct p_action *act, struct place key,
		      struct place record);
void cg_thread_enter(struct cg *cg, const struct p_action *act, struct place key,
		     struct place record, as_label done);
void cg_thread_leave(struct cg *cg, const struct p_action *act, struct place key);
void cg_thread_exit(struct cg *cg, const struct p_action *act, as_label done);

/* ---- cg_tree.c ---- */

/* A begin that is kept: how many are open goes into its record. left: a frame slot that
 * is not 0 when one stood in the record that was left in some other way; 0: none can. */
void cg_tree_begin(struct cg *cg, const struct p_period *p, struct place record, int left);
/* Of a begin in R8 that is replaced in a table: left = depth + 1; and back into the new one's record. */
void cg_tree_leave(struct cg *cg, const struct p_period *p, int left);
void cg_tree_left(struct cg *cg, const struct p_period *p, int left, struct place record);
/* Its end: so many are open again as at the record's (R8) begin. */
void cg_tree_end(struct cg *cg, const struct p_period *p, as_label gone);
/* Behind its rows: an outermost one that made none closes what was inside of it. */
void cg_tree_close(struct cg *cg, const struct p_period *p);
/* An end whose begin found no room. */
void cg_tree_lost(struct cg *cg, const struct p_period *p);
void cg_tree_row(struct cg *cg, bool handed_over);
void cg_tree_rows(struct cg *cg, const struct px *e, as_label none);	/* PX_TREE_ROWS */

/* ---- cg_flight.c: periods with in_flight ---- */

int cg_flight_map(struct cg *cg, const struct p_period *p);
/* The record is not open any more, or never was. Keeps R6-R9. */
void cg_flight_leave(struct cg *cg, const struct p_period *p, struct place record);

#endif
