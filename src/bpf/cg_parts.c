/*
 * Texts of several parts (paths, arguments): put together in scratch behind their head
 * (struct img_head), with room behind for one part more, so that the verifier needs to
 * know only that the used bytes are fewer than the room; then copied.
 */
#include "bpf/cg_parts.h"
#include "bpf/cg_state.h"

#include <stddef.h>

#define HEAD_BYTES ((int)sizeof(struct img_head))

struct cg_parts cg_parts_begin(struct cg *cg, int room)
{
	struct cg_state *s = cg->state;
	struct cg_parts p = { .room = room - HEAD_BYTES, .head = { R9, s->scratch_used } };

	/* scratch whatever the frame's state: offsets vary, which a frame forbids */
	s->wants_action[s->action] |= s->in_guard ? NEED_SCRATCH_GUARD : NEED_SCRATCH_BODY;
	p.text = (struct place){ R9, s->scratch_used + HEAD_BYTES };
	s->scratch_used += HEAD_BYTES + 2 * p.room + 8;
	if (s->scratch_used > SCRATCH_BYTES)
		cg_fail(cg, "keeps more text at once than a program has room for");
	cg_zero(cg, p.head, room);
	return p;
}

void cg_parts_set(struct cg *cg, const struct cg_parts *p, int off, int value)
{
	as_store_imm(cg->as, 1, p->head.reg, p->head.off + off, value);
}

void cg_parts_next(struct cg *cg, const struct cg_parts *p, as_label full)
{
	as_load(cg->as, 4, R4, p->head.reg, p->head.off);
	as_jump_if_imm(cg->as, BPF_JGE, R4, p->room, full);
	cg_addr(cg, R1, p->text);
	as_alu(cg->as, BPF_ADD, R1, R4);
	as_imm(cg->as, R2, p->room + 1);	/* so that what is cut is too long */
}

void cg_parts_add(struct cg *cg, const struct cg_parts *p, int terminator, as_label not)
{
	as_jump_if_imm(cg->as, BPF_JSLE, R0, 0, not);
	as_jump_if_imm(cg->as, BPF_JGT, R0, p->room + 1, not);
	as_load(cg->as, 4, R4, p->head.reg, p->head.off);
	as_jump_if_imm(cg->as, BPF_JGE, R4, p->room, not);
	as_alu(cg->as, BPF_ADD, R4, R0);
	as_store(cg->as, 4, p->head.reg, p->head.off, R4);
	if (!terminator)
		return;
	cg_addr(cg, R1, p->text);
	as_alu(cg->as, BPF_ADD, R1, R4);
	as_store_imm(cg->as, 1, R1, -1, terminator);
}

/* Counts what the head at `at` says is missing; if not `known` only what the copy cut. */
static void count_missing(struct cg *cg, struct place at, int room, bool known)
{
	const int missing = at.off + (int)offsetof(struct img_head, missing);
	const struct p_query *q = cg->branch ? cg->branch->query : NULL;
	as_label longer = as_new_label(cg->as), cut = as_new_label(cg->as);
	as_label end = as_new_label(cg->as);

	as_load(cg->as, 4, R0, at.reg, at.off);
	as_jump_if_imm(cg->as, BPF_JGT, R0, room - HEAD_BYTES, longer);
	if (known && q) {
		as_load(cg->as, 1, R0, at.reg, missing);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, MISSING_CUT, cut);
		cg_count(cg, q->c_absent);
	}
	as_jump(cg->as, end);
	as_bind(cg->as, longer);
	if (!known) {
		as_load(cg->as, 1, R0, at.reg, missing);
		as_jump_if_imm(cg->as, BPF_JNE, R0, 0, end);
	}
	as_store_imm(cg->as, 1, at.reg, missing, MISSING_CUT);
	as_bind(cg->as, cut);
	if (q)
		cg_count(cg, q->c_cut);
	as_bind(cg->as, end);
}

void cg_parts_end(struct cg *cg, const struct cg_parts *p, struct place at, int room)
{
	cg_copy(cg, at, p->head, room);
	count_missing(cg, at, room, true);
}

void cg_parts_copied(struct cg *cg, struct place at, int room, bool slot)
{
	count_missing(cg, at, room, slot);
}
