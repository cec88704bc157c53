/* Conversions of the word in R0: other sizes, and a pointer to a number. */
#include "bpf/cg.h"

/* The verifier gives BTF pointers, those to functions too, a type of their own, which
 * can be compared and stored but not calculated with. */
bool cg_pointerish(const struct px *e)
{
	switch (e->type.kind) {
	case TY_PTR: case TY_STRUCT: case TY_ARRAY: case TY_KADDR:
		return !e->type.user && e->op != PX_NUMBER;
	default:
		return false;
	}
}

/* An atomic operation on a spilled pointer leaves a number there. */
void cg_scalar(struct cg *cg)
{
	int slot = cg_frame(cg, 8);

	as_store(cg->as, 8, R10, slot, R0);
	as_imm(cg->as, R1, 0);
	as_atomic(cg->as, BPF_ADD, R10, slot, R1);
	as_load(cg->as, 8, R0, R10, slot);
	cg_frame_free(cg, 8);
}

void cg_bits(struct cg *cg, int offset, int size, bool is_signed)
{
	if (64 - offset - size > 0)
		as_alu_imm(cg->as, BPF_LSH, R0, 64 - offset - size);
	if (64 - size > 0)
		as_alu_imm(cg->as, is_signed ? BPF_ARSH : BPF_RSH, R0, 64 - size);
}

void cg_extend(struct cg *cg, int size, bool is_signed)
{
	if (size == 4 && !is_signed)
		as_alu32(cg->as, BPF_MOV, R0, R0);
	else if (size == 1 || size == 2 || size == 4)
		cg_bits(cg, 0, size * 8, is_signed);
}
