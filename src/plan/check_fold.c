/*
 * Constant folding: 64-bit two's complement, as the program would compute it.
 *
 * What is none always becomes PX_NONE, and a comparison with it false. A new
 * operator is a row of `operators`.
 */
#include "plan/check_in.h"

struct numbers {
	int64_t a, b;
	bool is_signed;
};

static int64_t op_add(struct numbers n) { return (int64_t)((uint64_t)n.a + (uint64_t)n.b); }
static int64_t op_sub(struct numbers n) { return (int64_t)((uint64_t)n.a - (uint64_t)n.b); }
static int64_t op_mul(struct numbers n) { return (int64_t)((uint64_t)n.a * (uint64_t)n.b); }
static int64_t op_and(struct numbers n) { return n.a & n.b; }
static int64_t op_or(struct numbers n) { return n.a | n.b; }
static int64_t op_xor(struct numbers n) { return n.a ^ n.b; }
static int64_t op_eq(struct numbers n) { return n.a == n.b; }
static int64_t op_ne(struct numbers n) { return n.a != n.b; }

static int64_t op_div(struct numbers n)
{
	if (!n.b)
		return 0;
	if (!n.is_signed)
		return (int64_t)((uint64_t)n.a / (uint64_t)n.b);
	return n.b == -1 ? (int64_t)(0 - (uint64_t)n.a) : n.a / n.b;
}

static int64_t op_mod(struct numbers n)
{
	if (!n.b)
		return 0;
	if (!n.is_signed)
		return (int64_t)((uint64_t)n.a % (uint64_t)n.b);
	return n.b == -1 ? 0 : n.a % n.b;
}

static int64_t op_shl(struct numbers n)
{
	return (int64_t)((uint64_t)n.a << (n.b & 63));
}

static int64_t op_shr(struct numbers n)
{
	return n.is_signed ? n.a >> (n.b & 63) : (int64_t)((uint64_t)n.a >> (n.b & 63));
}

static int64_t op_lt(struct numbers n)
{
	return n.is_signed ? n.a < n.b : (uint64_t)n.a < (uint64_t)n.b;
}

static int64_t op_gt(struct numbers n)
{
	return op_lt((struct numbers){ n.b, n.a, n.is_signed });
}

static int64_t op_le(struct numbers n) { return !op_gt(n); }
static int64_t op_ge(struct numbers n) { return !op_lt(n); }

static int64_t (*const operators[OPS])(struct numbers n) = {
	[OP_ADD] = op_add, [OP_SUB] = op_sub, [OP_MUL] = op_mul, [OP_DIV] = op_div,
	[OP_MOD] = op_mod, [OP_BAND] = op_and, [OP_BOR] = op_or, [OP_XOR] = op_xor,
	[OP_SHL] = op_shl, [OP_SHR] = op_shr, [OP_EQ] = op_eq, [OP_NE] = op_ne,
	[OP_LT] = op_lt, [OP_LE] = op_le, [OP_GT] = op_gt, [OP_GE] = op_ge,
};

int64_t narrow_number(int64_t n, const struct type *t)
{
	int shift = 64 - 8 * t->size;

	if (shift <= 0)
		return n;
	n = (int64_t)((uint64_t)n << shift);
	return t->is_signed ? n >> shift : (int64_t)((uint64_t)n >> shift);
}

/* && and ||: a constant first operand decides, or leaves the other. */
static struct px *fold_logic(struct check_env *env, struct px *e)
{
	bool is_and = e->c_op == OP_AND;

	for (int i = 0; i < 2; i++) {
		struct px *k = e->kids[i], *other = e->kids[1 - i];
		bool value = k->op == PX_NUMBER && k->number;

		if (k->op != PX_NUMBER && !px_is_none(k))
			continue;
		if (value != is_and)
			return px_bool(env, e->loc, value);
		if (other->op == PX_NUMBER)
			return px_bool(env, e->loc, other->number != 0);
		if (px_is_none(other))
			return px_bool(env, e->loc, false);
		/* the other alone, when it is 0 or 1 already and never none */
		if (other->type.kind == TY_BOOL && !other->may_none)
			return other;
	}
	return e;
}

static struct px *fold_binary(struct check_env *env, struct px *e)
{
	struct px *a = e->kids[0], *b = e->kids[1];
	enum op_class class = op_class(e->c_op);

	if (class == CLASS_LOGIC)
		return fold_logic(env, e);
	if (px_is_none(a) || px_is_none(b))
		return class == CLASS_EQUAL || class == CLASS_COMPARE
			? px_bool(env, e->loc, false) : px_none(env, e->loc);
	if (a->op == PX_TEXT && b->op == PX_TEXT)
		return px_bool(env, e->loc, str_eq(a->text, b->text) == (e->c_op == OP_EQ));
	if (a->op != PX_NUMBER || b->op != PX_NUMBER)
		return e;
	return px_number(env, e->loc, operators[e->c_op]((struct numbers){ a->number, b->number,
			 class == CLASS_EQUAL || class == CLASS_COMPARE
			 ? a->type.is_signed && b->type.is_signed : e->type.is_signed }),
			 &e->type);
}

static struct px *fold_unary(struct check_env *env, struct px *e)
{
	struct px *a = e->kids[0];
	int64_t n = a->number;

	if (px_is_none(a))
		return e->c_op == OP_NOT ? px_bool(env, e->loc, true) : a;
	if (a->op != PX_NUMBER)
		return e;
	n = e->c_op == OP_NOT ? !n : e->c_op == OP_INV ? ~n : (int64_t)(0 - (uint64_t)n);
	return px_number(env, e->loc, n, &e->type);
}

static struct px *fold_in(struct check_env *env, struct px *e)
{
	struct px *a = e->kids[0];

	if (px_is_none(a))
		return px_bool(env, e->loc, false);
	if (a->op != PX_NUMBER && a->op != PX_TEXT)
		return e;
	for (int i = 1; i < e->n_kids; i++)
		if (a->op == PX_TEXT ? str_eq(a->text, e->kids[i]->text)
				     : a->number == e->kids[i]->number)
			return px_bool(env, e->loc, true);
	return px_bool(env, e->loc, false);
}

/* The chosen one takes the type of the choice: it may be wider. */
static struct px *fold_choice(struct check_env *env, struct px *e)
{
	const struct px *cond = e->kids[0];
	struct px *chosen;

	if (px_is_none(e->kids[1]) && px_is_none(e->kids[2]))
		return e->kids[1];
	if (cond->op != PX_NUMBER && !px_is_none(cond))
		return e;
	chosen = px_copy(env, e->kids[cond->op == PX_NUMBER && cond->number ? 1 : 2]);
	if (!px_is_none(chosen) && px_is_word(chosen))
		chosen->type = e->type;
	return chosen;
}

struct px *fold(struct check_env *env, struct px *e)
{
	struct px *a = e->n_kids ? e->kids[0] : NULL;

	switch (e->op) {
	case PX_BINARY:
		return fold_binary(env, e);
	case PX_UNARY:
		return fold_unary(env, e);
	case PX_IN:
		return fold_in(env, e);
	case PX_COND:
		return fold_choice(env, e);
	case PX_MATCH:
		if (px_is_none(a))
			return px_bool(env, e->loc, false);
		if (a->op == PX_TEXT)
			return px_bool(env, e->loc, str_glob(e->text, a->text));
		break;
	case PX_NARROW:
		if (px_is_none(a))
			return a;
		if (a->op == PX_NUMBER)
			return px_number(env, e->loc, narrow_number(a->number, &e->type), &e->type);
		break;
	}
	return e;
}
