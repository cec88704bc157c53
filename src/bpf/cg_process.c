/*
 * The running process: its number by which culprit knows it, and its word in the table `mapped`
 * (cg_mapped.c).
 */
#include "base/unwind.h"
#include "bpf/cg_stack.h"

void cg_mapped_word(struct cg *cg)
{
	as_mov(cg->as, R2, R0);
	as_alu_imm(cg->as, BPF_AND, R2, MAPPED_SLOTS - 1);
	as_alu_imm(cg->as, BPF_LSH, R2, 3);
	as_map_value(cg->as, R1, cg->image->mapped, 0);
	as_alu(cg->as, BPF_ADD, R1, R2);
}

/* R0 = the number of the running thread, or of its process, in culprit's PID namespace */
static void number_here(struct cg *cg, struct place room, int common)
{
	/* struct bpf_pidns_info: the thread's number, the process's */
	as_store_imm(cg->as, 8, room.reg, room.off, 0);
	as_imm(cg->as, R1, (int64_t)cg->options->pid_ns_dev);
	as_imm(cg->as, R2, (int64_t)cg->options->pid_ns_inode);
	cg_addr(cg, R3, room);
	as_imm(cg->as, R4, PROCESS_ROOM);
	as_call(cg->as, BPF_FUNC_get_ns_current_pid_tgid);
	as_load(cg->as, 4, R0, room.reg, room.off + (common == COMMON_PID ? 4 : 0));
}

void cg_process(struct cg *cg, struct place room)
{
	if (cg->options->pid_namespaced)
		number_here(cg, room, COMMON_PID);
	else
		cg_common(cg, COMMON_PID);
}

void cg_here(struct cg *cg, const struct px *e, as_label none)
{
	(void)none;
	number_here(cg, (struct place){ R10, cg_frame(cg, PROCESS_ROOM) }, e->common);
}

void cg_mapped(struct cg *cg, struct place room)
{
	cg_process(cg, room);
	cg_mapped_word(cg);
	as_load(cg->as, 8, R1, R1, 0);
}
