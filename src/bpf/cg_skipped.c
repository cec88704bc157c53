/*
 * Calls that end with the number -1. rt_sigreturn has put that there; so does a tracer that skips
 * a call, and a program may enter with it. Their entry tells, but to keep what it tells would cost each
 * call, so the end decides.
 */
#include <errno.h>

#include "bpf/cg_state.h"

#ifdef __x86_64__
#define REGS_CX 88			/* struct pt_regs: where `syscall` leaves the place behind it */
#define REGS_IP 128

/* In a traced thread rt_sigreturn seldom leads right behind a call, but where a signal broke that. */
static void skipped_by_tracer(struct cg *cg, as_label nobody, as_label sigreturn)
{
	int32_t ptrace;
	int cx;

	if (!cg_member_offset(cg, "task_struct", "ptrace", &ptrace))
		return;
	as_jump_if_imm(cg->as, BPF_JEQ, R0, -EINTR, sigreturn);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 4, R0, R0, ptrace);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, sigreturn);
	cx = cg_frame(cg, 8);
	cg_syscall_regs(cg, REGS_CX, 8);
	as_store(cg->as, 8, R10, cx, R0);
	cg_syscall_regs(cg, REGS_IP, 8);
	as_load(cg->as, 8, R1, R10, cx);
	as_jump_if(cg->as, BPF_JEQ, R0, R1, nobody);
	cg_frame_free(cg, 8);
}
#else
static void skipped_by_tracer(struct cg *cg, as_label nobody, as_label sigreturn)
{
	(void)cg, (void)nobody, (void)sigreturn;
}
#endif

/* A program that enters with -1 is told that there is no such call. */
void cg_syscall_skipped(struct cg *cg, as_label nobody)
{
	as_label sigreturn = as_new_label(cg->as);

	cg_syscall_ret(cg, nobody);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, -ENOSYS, nobody);
	skipped_by_tracer(cg, nobody, sigreturn);
	as_bind(cg->as, sigreturn);
}
