/* Of numbers: the smaller, the larger, without a sign, the power of two. */
#include "func/func.h"
#include "func/rules.h"

/* ---- bucket(number) ---- */

static struct px *type_bucket(struct func_call *c)
{
	struct px *x = func_as_kind(c, TY_BUCKET);

	if (!px_is_poison(x))
		x->type.of = c->args[0]->type.kind;
	return x;
}

/* R0 = the power of two at or below it; 0 for 0 and what is negative */
static void emit_bucket(struct cg *cg, const struct px *e, as_label none)
{
	as_label positive = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	as_mov(cg->as, R1, R0);
	as_imm(cg->as, R0, 0);
	if (e->kids[0]->type.is_signed)
		as_jump_if_imm(cg->as, BPF_JSGT, R1, 0, positive);
	else
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, positive);
	as_jump(cg->as, end);
	as_bind(cg->as, positive);
	cg_log2(cg, R2, R1, R3);
	as_alu_imm(cg->as, BPF_SUB, R2, 1);
	as_alu_imm(cg->as, BPF_AND, R2, 63);
	as_imm(cg->as, R0, 1);
	as_alu(cg->as, BPF_LSH, R0, R2);
	as_bind(cg->as, end);
}

const struct func_ops func_bucket = {
	.name = "bucket",
	.takes = "(number)",
	.help = "the power of two at or below a value",
	.example = "syscall:read | count by comm, bucket(count)",
	.min_args = 1,
	.max_args = 1,
	.type = type_bucket,
	.emit_word = emit_bucket,
};

/* ---- min(a, b), max(a, b) ---- */

static struct px *type_extreme(struct func_call *c, bool larger)
{
	struct px **k = c->args;
	bool first;

	for (int i = 0; i < 2; i++) {
		if (!func_is_number(k[i]))
			return func_not_number(c, i);
		if (k[i]->op == PX_NUMBER)
			k[i] = c->x->kids[i] = px_copy(c->env, k[i]);
	}
	if (!px_unify(c->s, c->e->loc, k[0], k[1]))
		return px_poison(c->env, c->e->loc);
	c->x->type = type_common(k[0], k[1]);
	if (k[0]->op != PX_NUMBER || k[1]->op != PX_NUMBER)
		return c->x;
	first = c->x->type.is_signed ? k[0]->number > k[1]->number
		: (uint64_t)k[0]->number > (uint64_t)k[1]->number;
	return px_number(c->env, c->x->loc, k[first == larger ? 0 : 1]->number, &c->x->type);
}

static struct px *type_min(struct func_call *c) { return type_extreme(c, false); }
static struct px *type_max(struct func_call *c) { return type_extreme(c, true); }

static void emit_extreme(struct cg *cg, const struct px *e, as_label none)
{
	as_label keep = as_new_label(cg->as);
	bool is_signed = e->type.is_signed;
	int op = e->func == &func_min ? (is_signed ? BPF_JSLE : BPF_JLE)
				     : (is_signed ? BPF_JSGE : BPF_JGE);

	cg_pair(cg, e->kids[0], e->kids[1], none);
	as_jump_if(cg->as, op, R0, R1, keep);
	as_mov(cg->as, R0, R1);
	as_bind(cg->as, keep);
}

static struct tx_value value_extreme(const struct tx_run *run, const struct tx *x,
				     const struct cell *row, int sign)
{
	struct tx_value best = tx_eval(run, x->kids[0], row);

	for (int i = 1; i < x->n_kids; i++) {
		struct tx_value v = tx_eval(run, x->kids[i], row);
		int o = tx_order(v, best);

		if (o == 2)
			return tx_none;
		if (o == sign)
			best = v;
	}
	return best;
}

static struct tx_value value_min(const struct tx_run *run, const struct tx *x,
				 const struct cell *row)
{
	return value_extreme(run, x, row, -1);
}

static struct tx_value value_max(const struct tx_run *run, const struct tx *x,
				 const struct cell *row)
{
	return value_extreme(run, x, row, 1);
}

const struct func_ops func_min = {
	.name = "min",
	.takes = "(a, b)",
	.help = "the smaller of two",
	.example = "syscall:read | where min(ret, count) > 4096 | count by comm",
	.min_args = 2,
	.max_args = 2,
	.type = type_min,
	.emit_word = emit_extreme,
	.over = OVER_NUMBERS,
	.value = value_min,
};

const struct func_ops func_max = {
	.name = "max",
	.takes = "(a, b)",
	.help = "the larger of two",
	.example = "syscall:read | sum(max(ret, 0)) by comm",
	.min_args = 2,
	.max_args = 2,
	.type = type_max,
	.emit_word = emit_extreme,
	.over = OVER_NUMBERS,
	.value = value_max,
};

/* ---- abs(number) ---- */

static struct px *type_abs(struct func_call *c)
{
	int64_t n;

	if (!func_is_number(c->args[0]))
		return func_not_number(c, 0);
	c->x->type = c->args[0]->type;
	c->x->type.size = 8;		/* of the least of 32 bits it has 33 */
	if (!px_is_number(c->args[0], &n))
		return c->x;
	return px_number(c->env, c->x->loc, n < 0 ? (int64_t)(0 - (uint64_t)n) : n, &c->x->type);
}

static void emit_abs(struct cg *cg, const struct px *e, as_label none)
{
	as_label positive = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	if (e->kids[0]->type.is_signed) {
		as_jump_if_imm(cg->as, BPF_JSGE, R0, 0, positive);
		as_neg(cg->as, R0);
	}
	as_bind(cg->as, positive);
}

static struct tx_value value_abs(const struct tx_run *run, const struct tx *x,
				 const struct cell *row)
{
	struct tx_value v = tx_eval(run, x->kids[0], row);

	if (v.kind != V_NUMBER)
		return tx_none;
	return tx_number(v.number < 0 ? -v.number : v.number);
}

const struct func_ops func_abs = {
	.name = "abs",
	.takes = "(number)",
	.help = "the number without its sign",
	.example = "syscall:lseek | where abs(offset) > 1MB | count by comm",
	.min_args = 1,
	.max_args = 1,
	.type = type_abs,
	.emit_word = emit_abs,
	.over = OVER_NUMBERS,
	.value = value_abs,
};
