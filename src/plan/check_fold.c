/*
 * Constant folding: 64-bit two's complement, as the program would compute it.
 *
 * What is none always becomes PX_NONE, and a comparison with it false. What
 * operators make of numbers is in table/op.c.
 */
#include "plan/check_in.h"

static int64_t narrow_number(int64_t n, const struct type *t)
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
	bool compares = op_compares(e->c_op);

	if (op_class(e->c_op) == CLASS_LOGIC)
		return fold_logic(env, e);
	if (px_is_none(a) || px_is_none(b))
		return compares ? px_bool(env, e->loc, false) : px_none(env, e->loc);
	if (a->op == PX_TEXT && b->op == PX_TEXT)
		return px_bool(env, e->loc, str_eq(a->text, b->text) == (e->c_op == OP_EQ));
	if (a->op != PX_NUMBER || b->op != PX_NUMBER)
		return e;
	return px_number(env, e->loc, op_whole(e->c_op, (struct op_numbers){ a->number, b->number,
			 compares ? px_compares_signed(a, b) : e->type.is_signed }),
			 &e->type);
}

static struct px *fold_unary(struct check_env *env, struct px *e)
{
	struct px *a = e->kids[0];

	if (px_is_none(a))
		return e->c_op == OP_NOT ? px_bool(env, e->loc, true) : a;
	if (a->op != PX_NUMBER)
		return e;
	return px_number(env, e->loc, op_whole(e->c_op, (struct op_numbers){ .a = a->number }),
			 &e->type);
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

struct px *folded(struct scope *s, struct px *e)
{
	return s->table ? e : fold(s->env, e);
}
