/*
 * The begins of a thread's open calls: STORE_CALLS, in the thread's storage:
 *
 *	u64 depth			calls open
 *	u64 kept			of them here: at most period->calls_kept, the last
 *	struct {
 *		u64 frame;
 *		the record (plan/layout.c)
 *	} calls[calls_kept]		call number d at d % calls_kept
 *
 * A return looks from the last one back for its frame and drops what is above it.
 */
#include "bpf/cg_field.h"
#include "bpf/cg_map.h"
#include "bpf/cg_period.h"
#include "bpf/cg_state.h"

#define DEPTH_OFF 0
#define KEPT_OFF 8
#define CALLS_OFF 16

/* One and the same stack of the kernel, and a guess for those of programs. */
#define STACK_SHIFT 14

uint32_t cg_calls_bytes(const struct p_period *p)
{
	return CALLS_OFF + (uint32_t)p->calls_kept * (8 + p->record_bytes);
}

/* R8 = the thread's calls; R0 = 0: none */
static void calls_get(struct cg *cg, const struct p_action *act, int flags, as_label none)
{
	cg_word(cg, act->task, none);
	cg_storage(cg, cg->state->period_map[act->period->id], R0, flags);
}

/* R2 = the address of call number R1, which is lost */
static void call_at(struct cg *cg, const struct p_period *p)
{
	as_alu_imm(cg->as, BPF_AND, R1, p->calls_kept - 1);
	as_alu_imm(cg->as, BPF_MUL, R1, (int32_t)(8 + p->record_bytes));
	as_mov(cg->as, R2, R8);
	as_alu(cg->as, BPF_ADD, R2, R1);
}

/*
 * A call of this stack whose frame is below the new one has been left in some other
 * way (longjmp):
 *
 *	while (kept && last->frame < frame && same_stack(last->frame, frame))
 *		depth--, kept--, abandoned++;
 *
 * One with the same frame, too, unless it is another function's that ended by jumping to
 * this one: then both return there.
 */
static void drop_left(struct cg *cg, const struct p_period *p, int frame, int left)
{
	as_label again = as_new_label(cg->as), end = as_new_label(cg->as);

	as_store_imm(cg->as, 8, R10, left, 0);
	as_bind(cg->as, again);
	as_load(cg->as, 8, R3, R8, KEPT_OFF);
	as_jump_if_imm(cg->as, BPF_JEQ, R3, 0, end);
	as_load(cg->as, 8, R4, R8, DEPTH_OFF);
	as_mov(cg->as, R1, R4);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	call_at(cg, p);
	as_load(cg->as, 8, R1, R2, CALLS_OFF);
	as_load(cg->as, 8, R5, R10, frame);
	as_jump_if(cg->as, p->many_functions ? BPF_JGE : BPF_JGT, R1, R5, end);
	as_alu(cg->as, BPF_XOR, R1, R5);
	as_alu_imm(cg->as, BPF_RSH, R1, STACK_SHIFT);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, end);
	as_alu_imm(cg->as, BPF_SUB, R3, 1);
	as_store(cg->as, 8, R8, KEPT_OFF, R3);
	as_alu_imm(cg->as, BPF_SUB, R4, 1);
	as_store(cg->as, 8, R8, DEPTH_OFF, R4);
	as_load(cg->as, 8, R1, R10, left);
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R10, left, R1);
	as_jump_if_imm(cg->as, BPF_JLT, R1, p->calls_kept, again);
	as_bind(cg->as, end);
}

/*
 *	R8 = storage; drop_left();
 *	call = &calls[depth++ % calls_kept];
 *	if (kept < calls_kept) kept++; else let_go++;
 *	call->frame = frame; R8 = &call->record
 */
void cg_begin_calls(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	as_label room = as_new_label(cg->as), ready = as_new_label(cg->as);
	int frame = cg_frame(cg, 8), left = cg_frame(cg, 8);

	as_note(cg->as, act->loc, "begin: the thread's open calls");
	cg_frame_number(cg, NULL, done);
	as_store(cg->as, 8, R10, frame, R0);
	calls_get(cg, act, BPF_LOCAL_STORAGE_GET_F_CREATE, done);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, cg_count_then(cg, p->c_dropped, done));
	as_mov(cg->as, R8, R0);
	drop_left(cg, p, frame, left);
	cg_count_number(cg, p->c_abandoned, left);
	as_load(cg->as, 8, R3, R8, KEPT_OFF);
	as_jump_if_imm(cg->as, BPF_JLT, R3, p->calls_kept, room);
	cg_count(cg, p->c_let_go);
	as_jump(cg->as, ready);
	as_bind(cg->as, room);
	as_alu_imm(cg->as, BPF_ADD, R3, 1);
	as_store(cg->as, 8, R8, KEPT_OFF, R3);
	as_bind(cg->as, ready);
	as_load(cg->as, 8, R1, R8, DEPTH_OFF);
	as_mov(cg->as, R3, R1);
	as_alu_imm(cg->as, BPF_ADD, R3, 1);
	as_store(cg->as, 8, R8, DEPTH_OFF, R3);
	call_at(cg, p);
	as_load(cg->as, 8, R1, R10, frame);
	as_store(cg->as, 8, R2, CALLS_OFF, R1);
	as_mov(cg->as, R8, R2);
	as_alu_imm(cg->as, BPF_ADD, R8, CALLS_OFF + 8);
	if (p->tree)
		cg_tree_begin(cg, p, (struct place){ R8, 0 }, left);
	cg_frame_free(cg, 16);
}

/*
 *	for (n = 1; n <= kept; n++)
 *		if ((call = &calls[(depth - n) % calls_kept])->frame == frame) goto found;
 *	if (!kept && depth) depth--;		its begin found no room
 *	else unmatched++;
 *	goto done;
 * found:
 *	left = n - 1; R8 = &call->record
 *
 * It is dropped when its rows are made: what interrupts this program stays above it.
 */
void cg_find_calls(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	struct cg_state *s = cg->state;
	as_label unmatched = cg_count_then(cg, p->c_unmatched, done);
	as_label again = as_new_label(cg->as), found = as_new_label(cg->as);
	as_label missing = as_new_label(cg->as);
	int frame = cg_frame(cg, 8), left = cg_frame(cg, 8);

	cg_frame_number(cg, NULL, done);
	as_store(cg->as, 8, R10, frame, R0);
	calls_get(cg, act, 0, done);
	/* a thread that never began one: it is not meant, or was in it before the start */
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, done);
	as_mov(cg->as, R8, R0);
	as_load(cg->as, 8, R5, R10, frame);
	as_load(cg->as, 8, R4, R8, DEPTH_OFF);
	as_imm(cg->as, R3, 1);
	as_bind(cg->as, again);
	as_load(cg->as, 8, R1, R8, KEPT_OFF);
	as_jump_if(cg->as, BPF_JGT, R3, R1, missing);
	as_mov(cg->as, R1, R4);
	as_alu(cg->as, BPF_SUB, R1, R3);
	call_at(cg, p);
	as_load(cg->as, 8, R1, R2, CALLS_OFF);
	as_jump_if(cg->as, BPF_JEQ, R1, R5, found);
	as_alu_imm(cg->as, BPF_ADD, R3, 1);
	as_jump_if_imm(cg->as, BPF_JLE, R3, p->calls_kept, again);
	as_bind(cg->as, missing);
	as_load(cg->as, 8, R1, R8, KEPT_OFF);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, unmatched);
	as_jump_if_imm(cg->as, BPF_JEQ, R4, 0, unmatched);
	as_alu_imm(cg->as, BPF_SUB, R4, 1);
	as_store(cg->as, 8, R8, DEPTH_OFF, R4);
	if (p->tree)
		cg_tree_lost(cg, p);
	as_jump(cg->as, done);
	as_bind(cg->as, found);
	s->calls_off = cg_frame(cg, 8);
	s->depth_off = cg_frame(cg, 8);
	s->kept_off = cg_frame(cg, 8);
	as_store(cg->as, 8, R10, s->calls_off, R8);
	as_alu(cg->as, BPF_SUB, R4, R3);
	as_store(cg->as, 8, R10, s->depth_off, R4);
	as_load(cg->as, 8, R1, R8, KEPT_OFF);
	as_alu(cg->as, BPF_SUB, R1, R3);
	as_store(cg->as, 8, R10, s->kept_off, R1);
	as_alu_imm(cg->as, BPF_SUB, R3, 1);
	as_store(cg->as, 8, R10, left, R3);
	as_mov(cg->as, R8, R2);
	as_alu_imm(cg->as, BPF_ADD, R8, CALLS_OFF + 8);
	cg_count_number(cg, p->c_abandoned, left);
}

/* What the thread has open returns no more. */
void cg_exit_calls(struct cg *cg, const struct p_action *act, as_label done)
{
	int left = cg_frame(cg, 8);

	calls_get(cg, act, 0, done);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, done);
	as_load(cg->as, 8, R1, R0, KEPT_OFF);
	as_store(cg->as, 8, R10, left, R1);
	cg_count_number(cg, act->period->c_abandoned, left);
	cg_frame_free(cg, 8);
}

void cg_take_calls(struct cg *cg)
{
	const struct cg_state *s = cg->state;

	as_load(cg->as, 8, R8, R10, s->calls_off);
	as_load(cg->as, 8, R1, R10, s->depth_off);
	as_store(cg->as, 8, R8, DEPTH_OFF, R1);
	as_load(cg->as, 8, R1, R10, s->kept_off);
	as_store(cg->as, 8, R8, KEPT_OFF, R1);
}
