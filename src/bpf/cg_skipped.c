/*
 * Calls that end with the number -1. rt_sigreturn has put that there; but a program may enter with
 * it, and is told that there is no such call. A tracer that skips a call puts it there, too: that
 * cannot be told from a rt_sigreturn that leads right behind a call, as SIGCHLD's in a shell does.
 */
#include <errno.h>

#include "bpf/cg_state.h"

void cg_syscall_skipped(struct cg *cg, as_label nobody)
{
	cg_syscall_ret(cg, nobody);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, -ENOSYS, nobody);
}
