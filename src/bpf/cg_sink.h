/* cg_sink: what is done with a row: steps, then the sink. */
#ifndef BPF_CG_SINK_H
#define BPF_CG_SINK_H

#include "bpf/cg_state.h"

void cg_branches(struct cg *cg, const struct p_action *act);

/* The head of `worst`: u64 each. */
enum { WORST_BUSY = 0, WORST_USED = 8, WORST_RANK = 16, WORST_INDEX = 24, WORST_RANKS = 32 };

void cg_print(struct cg *cg, const struct p_branch *b, as_label done);
/* The record at R7: what and when, then the columns. */
void cg_record(struct cg *cg, const struct p_branch *b);
void cg_worst(struct cg *cg, const struct p_branch *b, as_label done);
void cg_aggs(struct cg *cg, const struct p_branch *b, as_label done);
/* R0 = the half of the query's table that is in use, 0 or 1. */
void cg_half(struct cg *cg, const struct img_table *t);

#endif
