/* cg_aux: auxiliary programs, and the tables that they fill. */
#ifndef BPF_CG_AUX_H
#define BPF_CG_AUX_H

#include "bpf/cg_state.h"

/* An event with types, or NULL. */
const struct cat_event *cg_aux_event(const struct cg *cg, const char *system, const char *name);
/* Where the type has the member; -1: nowhere. */
int cg_aux_member(const struct cg *cg, const char *type, const char *member);
void cg_aux_begin(struct cg *cg, const char *what);
void cg_aux_end(struct cg *cg, const struct cat_event *at, const char *name, const char *purpose);

/* ---- cg_follow.c, cg_wakers.c, cg_hog.c ---- */

void cg_follow_program(struct cg *cg);
void cg_wakers_maps(struct cg *cg);
void cg_wakers_programs(struct cg *cg);
void cg_hog_map(struct cg *cg);
void cg_hog_program(struct cg *cg);

/* ---- cg_mapped.c; cg_ranges.c, for which it sees each mapping ---- */

void cg_mapped_map(struct cg *cg);
void cg_mapped_program(struct cg *cg);
void cg_ranges_maps(struct cg *cg);
void cg_ranges_fork(struct cg *cg);
int cg_ranges_room(struct cg *cg);	/* the frame's offset of what is known of a mapping */
/* The process's word of what it mapped was `old` and is `now`, registers. */
void cg_ranges_counted(struct cg *cg, int at, int old, int now);
/* The mapping at R7 goes into its process's list. The program ends here; what is emitted next are the last
 * instructions of a function that returns 0. */
void cg_ranges_enter(struct cg *cg, int at, as_label out);

#endif
