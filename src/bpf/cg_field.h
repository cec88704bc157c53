/* cg_field: what the event says: its fields, the number of its call, values that all events have. */
#ifndef BPF_CG_FIELD_H
#define BPF_CG_FIELD_H

#include "bpf/cg_state.h"

/* ---- cg_field.c ---- */

#define CALLS_COMPARED 6		/* system calls that are looked for one by one; more: by a table */
void cg_syscall_number(struct cg *cg);
/* To skip when it is the end of a call in the child that it made. */
void cg_syscall_child(struct cg *cg, const struct p_calls *calls, as_label skip);
/* To none when what the call returned is not its own: rt_sigreturn. */
void cg_syscall_returned(struct cg *cg, as_label none);
void cg_field_address(struct cg *cg, const struct cat_field *f, as_label none);
void cg_sample_ip(struct cg *cg);	/* R0 = the instruction a sample was taken at */

/* ---- cg_func.c ---- */

void cg_func_arg(struct cg *cg, const struct cat_field *f);	/* R0 */
void cg_func_ret(struct cg *cg, const struct cat_field *f);
void cg_operand(struct cg *cg, const struct cat_field *f);	/* R0 */
void cg_func_number(struct cg *cg);		/* R0 = value of `event` */
void cg_session_head(struct cg *cg, as_label at_return);
void cg_session_tail(struct cg *cg);
void cg_session_begun(struct cg *cg);	/* the entry wants its return */
void cg_frame_number(struct cg *cg, const struct px *e, as_label none);	/* PX_FRAME */
void cg_begin_cookie(struct cg *cg);
void cg_find_cookie(struct cg *cg);		/* R8 = the record */

/* ---- cg_common.c ---- */

void cg_event_number(struct cg *cg, const struct px *e);	/* R0 = the value of `event` */
/* What is behind the NUL in the 16 bytes of R1 and R2 becomes 0. Clobbers R3-R5. */
void cg_clear_behind_nul(struct as *as);
void cg_common_text(struct cg *cg, int common, struct place at, int room, bool pad);
/* The record's part of a printed row, in R7. */
void cg_record_head(struct cg *cg, const struct p_query *q);

#endif
