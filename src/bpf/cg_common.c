/*
 * The common values, where the catalog has no way of its own: a helper and
 * what is done to its result.
 */
#include "bpf/cg_state.h"

#define COMM_BYTES 16

void cg_event_number(struct cg *cg, const struct px *e)
{
	const struct cat_event *c = cg->event->cat;

	if (c && (c->kind == CAT_SYSCALL_ENTER || c->kind == CAT_SYSCALL_EXIT))
		cg_syscall_number(cg);
	else if (cg->branch ? cg->branch->event_is_cookie : cg->event->functions.n > 1)
		cg_func_number(cg);
	else
		as_imm(cg->as, R0, e->index);
}

/* R0 = helper(), its upper or lower half */
enum part { PART_ALL, PART_LOW, PART_HIGH };

static const struct {
	int helper;
	uint8_t part;			/* enum part */
	void (*emit)(struct cg *cg);	/* instead */
} commons[COMMONS] = {
	[COMMON_TIME] = { .emit = cg_now },
	[COMMON_CPU] = { BPF_FUNC_get_smp_processor_id, PART_LOW, NULL },
	[COMMON_PID] = { BPF_FUNC_get_current_pid_tgid, PART_HIGH, NULL },
	[COMMON_TID] = { BPF_FUNC_get_current_pid_tgid, PART_LOW, NULL },
	[COMMON_UID] = { BPF_FUNC_get_current_uid_gid, PART_LOW, NULL },
	[COMMON_GID] = { BPF_FUNC_get_current_uid_gid, PART_HIGH, NULL },
	[COMMON_CGROUP] = { BPF_FUNC_get_current_cgroup_id, PART_ALL, NULL },
	[COMMON_TASK] = { BPF_FUNC_get_current_task_btf, PART_ALL, NULL },
};

void cg_common(struct cg *cg, int common, as_label none)
{
	(void)none;
	if (commons[common].emit) {
		commons[common].emit(cg);
		return;
	}
	if (!commons[common].helper) {
		cg_fail(cg, "a common value that programs can't read here");
		return;
	}
	as_call(cg->as, commons[common].helper);
	if (commons[common].part == PART_LOW)
		as_alu32(cg->as, BPF_MOV, R0, R0);
	else if (commons[common].part == PART_HIGH)
		as_alu_imm(cg->as, BPF_RSH, R0, 32);
}

/* comm is the only one that is a string. The helper of 6.1 writes nothing behind its NUL,
 * later ones do: what is compared as whole words begins with zeros. */
void cg_common_text(struct cg *cg, int common, struct place at, int room, bool pad)
{
	int bytes = room < COMM_BYTES ? room : COMM_BYTES;

	if (common != COMMON_COMM) {
		cg_fail(cg, "a common value that programs can't read here");
		return;
	}
	if (pad)
		cg_zero(cg, at, room);
	cg_addr(cg, R1, at);
	as_imm(cg->as, R2, bytes);
	as_call(cg->as, BPF_FUNC_get_current_comm);
}
