/* cg_probe: memory by its address, and the members of the kernel's structs. */
#ifndef BPF_CG_PROBE_H
#define BPF_CG_PROBE_H

#include "bpf/cg_state.h"

/* R0 = the word of `bytes` at R3, by probe_read; 0 when it can't be read. */
void cg_probe(struct cg *cg, int bytes, uint8_t space);
/* R0 = the word at R7 + offset, in kernel memory that may be anything; also at `word` of the frame */
void cg_probe_word(struct cg *cg, int word, int32_t offset, as_label out);
/* Where the kernel's struct has a member (with dots), within reach of a load; false: it has
 * none, or no types are known. */
bool cg_member_offset(const struct cg *cg, const char *structure, const char *path, int32_t *offset);
/* The same; fails when there is none. */
int32_t cg_member(struct cg *cg, const char *structure, const char *path);
/* R0 = *(u64 *)(R0 + off), 0 when it can't be read */
void cg_deref(struct cg *cg, int32_t off);

#endif
