/* cg_map: tables, made in the image, and what programs do with them. */
#ifndef BPF_CG_MAP_H
#define BPF_CG_MAP_H

#include "bpf/cg_state.h"

int cg_add_map(struct cg *cg, struct img_map m);
/* A read-only array of one entry. */
int cg_add_const(struct cg *cg, const char *name, const void *init, uint32_t bytes,
		 const char *purpose);
const struct img_table *cg_table(const struct cg *cg, const struct p_query *q);

/* ---- in programs ---- */

/* R0 = the address of the key's value, or 0. */
void cg_lookup(struct cg *cg, int map, struct place key);
/* The same, to none when there is none. */
void cg_find(struct cg *cg, int map, struct place key, as_label none);
void cg_update(struct cg *cg, int map, struct place key, struct place value, int flags);
void cg_delete(struct cg *cg, int map, struct place key);
/* R0 = the row of a per-CPU array that has one, or 0. */
void cg_cpu_row(struct cg *cg, int map);
/* R0 = what the task, in this register, has in the storage, or 0. */
void cg_storage(struct cg *cg, int map, int task, int flags);

#endif
