/*
 * The common values, where the catalog has no way of its own: a helper and
 * what is done to its result, or a member of the running task where the kernel's
 * types are known: a load costs less.
 */
#include "bpf/cg_field.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_state.h"

#include <stddef.h>

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
	const char *member;		/* of task_struct, 4 bytes: the same value */
} commons[COMMONS] = {
	[COMMON_TIME] = { .emit = cg_now },
	[COMMON_CPU] = { BPF_FUNC_get_smp_processor_id, PART_LOW },
	[COMMON_PID] = { BPF_FUNC_get_current_pid_tgid, PART_HIGH, .member = "tgid" },
	[COMMON_TID] = { BPF_FUNC_get_current_pid_tgid, PART_LOW, .member = "pid" },
	[COMMON_UID] = { BPF_FUNC_get_current_uid_gid, PART_LOW },
	[COMMON_GID] = { BPF_FUNC_get_current_uid_gid, PART_HIGH },
	[COMMON_CGROUP] = { BPF_FUNC_get_current_cgroup_id, PART_ALL },
	[COMMON_TASK] = { BPF_FUNC_get_current_task_btf, PART_ALL },
};

void cg_common(struct cg *cg, int common)
{
	int32_t offset;

	if (commons[common].emit) {
		commons[common].emit(cg);
		return;
	}
	if (!commons[common].helper) {
		cg_fail(cg, "a common value that programs can't read here");
		return;
	}
	if (commons[common].member &&
	    cg_member_offset(cg, "task_struct", commons[common].member, &offset)) {
		as_call(cg->as, BPF_FUNC_get_current_task_btf);
		as_load(cg->as, 4, R0, R0, offset);
		return;
	}
	as_call(cg->as, commons[common].helper);
	if (commons[common].part == PART_LOW)
		as_alu32(cg->as, BPF_MOV, R0, R0);
	else if (commons[common].part == PART_HIGH)
		as_alu_imm(cg->as, BPF_RSH, R0, 32);
}

void cg_clear_behind_nul(struct as *as)
{
	as_label end = as_new_label(as);

	for (int word = R1; word <= R2; word++) {
		as_label whole = as_new_label(as);

		/* R4: the lowest bit that is set is the highest of the first byte that is 0 */
		as_imm(as, R3, 0x0101010101010101);
		as_mov(as, R4, word);
		as_alu(as, BPF_SUB, R4, R3);
		as_mov(as, R5, word);
		as_alu_imm(as, BPF_XOR, R5, -1);
		as_alu(as, BPF_AND, R4, R5);
		as_alu_imm(as, BPF_LSH, R3, 7);
		as_alu(as, BPF_AND, R4, R3);
		as_jump_if_imm(as, BPF_JEQ, R4, 0, whole);
		as_imm(as, R5, 0);
		as_alu(as, BPF_SUB, R5, R4);
		as_alu(as, BPF_AND, R4, R5);
		as_alu_imm(as, BPF_RSH, R4, 7);
		as_alu_imm(as, BPF_SUB, R4, 1);
		as_alu(as, BPF_AND, word, R4);
		if (word == R1)
			as_imm(as, R2, 0);
		as_jump(as, end);
		as_bind(as, whole);
	}
	as_bind(as, end);
}

/* Kernels before 5.17 leave what was behind the NUL of a comm, and the helper of 6.1
 * writes nothing there: what is compared as whole words gets zeros (pad). */
void cg_common_text(struct cg *cg, int common, struct place at, int room, bool pad)
{
	int32_t offset;

	if (common != COMMON_COMM) {
		cg_fail(cg, "a common value that programs can't read here");
		return;
	}
	if (room < COMM_BYTES || !cg_member_offset(cg, "task_struct", "comm", &offset)) {
		if (pad)
			cg_zero(cg, at, room);
		cg_addr(cg, R1, at);
		as_imm(cg->as, R2, room < COMM_BYTES ? room : COMM_BYTES);
		as_call(cg->as, BPF_FUNC_get_current_comm);
		return;
	}
	if (pad && room > COMM_BYTES)
		cg_zero(cg, (struct place){ at.reg, at.off + COMM_BYTES }, room - COMM_BYTES);
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 8, R1, R0, offset);
	as_load(cg->as, 8, R2, R0, offset + 8);
	if (pad)
		cg_clear_behind_nul(cg->as);
	as_store(cg->as, 8, at.reg, at.off, R1);
	as_store(cg->as, 8, at.reg, at.off + 8, R2);
}

void cg_record_head(struct cg *cg, const struct p_query *q)
{
	cg_now(cg);
	as_store(cg->as, 8, R7, offsetof(struct img_record, time_ns), R0);
	as_call(cg->as, BPF_FUNC_get_smp_processor_id);
	as_store(cg->as, 4, R7, offsetof(struct img_record, cpu), R0);
	as_store_imm(cg->as, 4, R7, offsetof(struct img_record, query), q->index);
	as_store_imm(cg->as, 8, R7, offsetof(struct img_record, none), 0);
}
