/*
 * Arithmetic: C's operators on 64-bit integers of either sign. BPF before its
 * fourth version divides without sign only, so signs are taken off and put on
 * again; division by zero is zero and counted.
 */
#include "bpf/cg_expr.h"

/* R0 = e, a number for the verifier too if scalar */
static void operand(struct cg *cg, const struct px *e, bool scalar, as_label none)
{
	cg_word(cg, e, none);
	if (scalar && cg_pointerish(e))
		cg_scalar(cg);
}

static void pair(struct cg *cg, const struct px *a, const struct px *b, bool scalar,
		 as_label none)
{
	int64_t number;
	int slot;

	operand(cg, a, scalar, none);
	if (px_is_number(b, &number)) {
		as_imm(cg->as, R1, number);
		return;
	}
	slot = cg_frame(cg, 8);
	as_store(cg->as, 8, R10, slot, R0);
	operand(cg, b, scalar, none);
	as_mov(cg->as, R1, R0);
	as_load(cg->as, 8, R0, R10, slot);
}

void cg_pair(struct cg *cg, const struct px *a, const struct px *b, as_label none)
{
	pair(cg, a, b, false, none);
}

static const struct {
	bool known;
	uint8_t bpf;
} ops[] = {
	[OP_BOR] = { true, BPF_OR }, [OP_XOR] = { true, BPF_XOR }, [OP_BAND] = { true, BPF_AND },
	[OP_SHL] = { true, BPF_LSH }, [OP_SHR] = { true, BPF_RSH }, [OP_ADD] = { true, BPF_ADD },
	[OP_SUB] = { true, BPF_SUB }, [OP_MUL] = { true, BPF_MUL }, [OP_DIV] = { true, BPF_DIV },
	[OP_MOD] = { true, BPF_MOD },
};

/*
 * R0 = R0 / R1 or R0 % R1, with sign:
 *	R2 = a ^ b (the sign of a / b), or a (of a % b)
 *	R0 = |a| op |b|;  if (R2 < 0) R0 = -R0
 */
static void divide_signed(struct cg *cg, int op)
{
	struct as *as = cg->as;
	as_label a_positive = as_new_label(as), b_positive = as_new_label(as);
	as_label done = as_new_label(as);

	as_mov(as, R2, R0);
	if (op == BPF_DIV)
		as_alu(as, BPF_XOR, R2, R1);
	as_jump_if_imm(as, BPF_JSGE, R0, 0, a_positive);
	as_neg(as, R0);
	as_bind(as, a_positive);
	as_jump_if_imm(as, BPF_JSGE, R1, 0, b_positive);
	as_neg(as, R1);
	as_bind(as, b_positive);
	as_alu(as, op, R0, R1);
	as_jump_if_imm(as, BPF_JSGE, R2, 0, done);
	as_neg(as, R0);
	as_bind(as, done);
}

static void divide(struct cg *cg, const struct px *e, int op)
{
	as_label defined = as_new_label(cg->as), end = as_new_label(cg->as);
	int64_t number = 0;
	bool constant = px_is_number(e->kids[1], &number);

	if (!constant || !number) {
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, defined);
		if (cg->branch)
			cg_count(cg, cg->branch->query->c_div_zero);
		as_imm(cg->as, R0, 0);
		as_jump(cg->as, end);
		as_bind(cg->as, defined);
	}
	if (e->type.is_signed)
		divide_signed(cg, op);
	else
		as_alu(cg->as, op, R0, R1);
	as_bind(cg->as, end);
}

void cg_binary(struct cg *cg, const struct px *e, as_label none)
{
	int64_t number;
	int op;

	if (e->c_op >= sizeof(ops) / sizeof(ops[0]) || !ops[e->c_op].known) {
		cg_fail(cg, "an operator that programs don't have");
		return;
	}
	op = ops[e->c_op].bpf;
	if (op == BPF_RSH && e->type.is_signed)
		op = BPF_ARSH;
	if (e->c_op == OP_DIV || e->c_op == OP_MOD) {
		pair(cg, e->kids[0], e->kids[1], true, none);
		divide(cg, e, op);
	} else if (e->c_op == OP_SHL || e->c_op == OP_SHR) {
		/* by 0 to 63, as the machine does: more is undefined in C */
		pair(cg, e->kids[0], e->kids[1], true, none);
		as_alu_imm(cg->as, BPF_AND, R1, 63);
		as_alu(cg->as, op, R0, R1);
	} else if (px_is_number(e->kids[1], &number) && number == (int32_t)number) {
		operand(cg, e->kids[0], true, none);
		as_alu_imm(cg->as, op, R0, (int32_t)number);
	} else {
		pair(cg, e->kids[0], e->kids[1], true, none);
		as_alu(cg->as, op, R0, R1);
	}
}

void cg_unary(struct cg *cg, const struct px *e, as_label none)
{
	operand(cg, e->kids[0], true, none);
	if (e->c_op == OP_NEG)
		as_neg(cg->as, R0);
	else if (e->c_op == OP_INV)
		as_alu_imm(cg->as, BPF_XOR, R0, -1);
	else
		cg_fail(cg, "an operator that programs don't have");
}
