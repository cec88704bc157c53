/*
 * The common values, where the catalog has no way of its own: a helper and
 * what is done to its result.
 */
#include "bpf/cg_state.h"

#define COMM_BYTES 16

static void load_event(struct cg *cg)
{
	bool is_call = cg->branch ? cg->branch->event_is_syscall :
		cg->event->cat && (cg->event->cat->kind == CAT_SYSCALL_ENTER ||
				   cg->event->cat->kind == CAT_SYSCALL_EXIT);

	if (is_call)
		cg_syscall_number(cg);
	else
		as_imm(cg->as, R0, cg->branch ? cg->branch->event_number : 0);
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
	[COMMON_EVENT] = { .emit = load_event },
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

/* comm is the only one that is a string; the helper pads it. */
void cg_common_text(struct cg *cg, int common, struct place at, int room, bool pad)
{
	int bytes = room < COMM_BYTES ? room : COMM_BYTES;

	if (common != COMMON_COMM) {
		cg_fail(cg, "a common value that programs can't read here");
		return;
	}
	cg_addr(cg, R1, at);
	as_imm(cg->as, R2, bytes);
	as_call(cg->as, BPF_FUNC_get_current_comm);
	if (pad && bytes < room)
		cg_zero(cg, (struct place){ at.reg, at.off + bytes }, room - bytes);
}
