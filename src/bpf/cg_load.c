/*
 * Loads: members of structs, elements of arrays.
 *
 * A pointer whose type the verifier knows is dereferenced by one instruction
 * after a test for NULL (the verifier demands it of some arguments since 6.13;
 * the kernel's fault handler makes any other bad pointer read as 0). All else
 * is read through bpf_probe_read_*, which gives 0 for what can't be read.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_probe.h"

/* Takes constant offsets off an address: what is left is a pointer. */
static const struct px *strip_offset(const struct px *e, int64_t *off)
{
	int64_t index;

	for (;;) {
		if (e->op == PX_ADDR) {
			*off += e->offset;
		} else if (e->op == PX_ELEMENT && px_is_number(e->kids[1], &index) &&
			   index >= 0 && index < e->number) {
			*off += index * e->stride;
		} else {
			return e;
		}
		e = e->kids[0];
	}
}

/* R0 = base, tested: to null with R0 = 0, a number, when it is NULL */
static void emit_base(struct cg *cg, const struct px *base, as_label none, as_label null)
{
	cg_word(cg, base, none);
	if (!cg_pointerish(base))
		return;
	as_mov(cg->as, R1, R0);
	as_imm(cg->as, R0, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, null);
	as_mov(cg->as, R0, R1);
}

void cg_load(struct cg *cg, const struct px *e, as_label none)
{
	int64_t off = e->offset;
	const struct px *base = strip_offset(e->kids[0], &off);
	int bytes = e->type.size ? e->type.size : 8;
	as_label null = as_new_label(cg->as);

	emit_base(cg, base, none, null);
	if (off > INT32_MAX) {
		cg_fail(cg, "an offset of more than 2 GiB");
	} else if (e->direct && base->op != PX_ELEMENT && off <= INT16_MAX) {
		as_load(cg->as, bytes, R0, R0, (int)off);
	} else {
		as_mov(cg->as, R3, R0);
		if (off)
			as_alu_imm(cg->as, BPF_ADD, R3, (int32_t)off);
		cg_probe(cg, bytes, e->space);
	}
	if (e->bit_size)
		cg_bits(cg, e->bit_offset, e->bit_size, e->type.is_signed);
	else if (e->type.is_signed)
		cg_extend(cg, bytes, true);
	as_bind(cg->as, null);
}

void cg_address(struct cg *cg, const struct px *e, as_label none)
{
	int64_t off = 0;
	const struct px *base = strip_offset(e, &off);
	as_label null = as_new_label(cg->as);

	emit_base(cg, base, none, null);
	if (off > INT32_MAX)
		cg_fail(cg, "an offset of more than 2 GiB");
	else if (off)
		as_alu_imm(cg->as, BPF_ADD, R0, (int32_t)off);
	as_bind(cg->as, null);
}

/* base + index * stride, none unless 0 <= index < number */
void cg_element(struct cg *cg, const struct px *e, as_label none)
{
	int64_t index;
	int slot;

	if (px_is_number(e->kids[1], &index)) {
		if (index < 0 || index >= e->number)
			as_jump(cg->as, none);
		else
			cg_address(cg, e, none);
		return;
	}
	slot = cg_frame(cg, 8);
	cg_word(cg, e->kids[0], none);
	if (cg_pointerish(e->kids[0]))
		cg_scalar(cg);
	as_store(cg->as, 8, R10, slot, R0);
	cg_word(cg, e->kids[1], none);
	as_imm(cg->as, R1, e->number);
	as_jump_if(cg->as, BPF_JGE, R0, R1, none);
	as_alu_imm(cg->as, BPF_MUL, R0, (int32_t)e->stride);
	as_load(cg->as, 8, R1, R10, slot);
	as_alu(cg->as, BPF_ADD, R0, R1);
}
