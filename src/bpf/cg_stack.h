/* cg_stack: stacks, and the process they are of. */
#ifndef BPF_CG_STACK_H
#define BPF_CG_STACK_H

#include "bpf/cg_state.h"

/* ---- cg_stack.c ---- */

void cg_stack(struct cg *cg, int common, struct place at, as_label none);
/* Which process the stack is of, to none when the thread has no stack of a program. */
void cg_stack_process(struct cg *cg, struct place stack, as_label none);
/* The stack, in scratch, is kept; its id to `key` in the frame, and from there to `at`. user: of code of a process. */
void cg_stack_keep(struct cg *cg, struct place stack, struct place key, struct place at, bool user);

/* ---- cg_unwind.c, cg_unwind_rule.c ---- */

/* The program's stack into the struct img_stack in scratch, to none where its process is
 * not known; R1 = its cut. */
void cg_unwind(struct cg *cg, struct place to, as_label none);
void cg_unwind_function(struct cg *cg);	/* behind the program, if it is used */
/* R7 = a process's list, R8 = an address; from each step down to `least`:
 * if (begins[R4 + step] <= R8) R4 += step */
void cg_unwind_search(struct cg *cg, int step, int least);

/* ---- cg_process.c ---- */

/* R0 = the number of the running process by which /proc knows it: in the PID namespace of culprit. 0: it has none there. */
#define PROCESS_ROOM 8
void cg_process(struct cg *cg, struct place room);
void cg_mapped(struct cg *cg, struct place room);	/* the same, and R1 = its word */
void cg_mapped_word(struct cg *cg);	/* R1 = the address of the word of process R0, which stays */
void cg_here(struct cg *cg, const struct px *e, as_label none);	/* PX_HERE */

#endif
