/* See rules.h. */
#include "agg/rules.h"

#include "lang/diag_tags.h"

bool agg_is_quantity(const struct type *t)
{
	switch (t->kind) {
	case TY_INT: case TY_BOOL: case TY_DURATION: case TY_SIZE: case TY_NONE:
		return true;
	default:
		return false;
	}
}

bool agg_check_quantity(struct diag *d, const struct p_agg *a, struct px *const *args)
{
	const struct type *t = &args[0]->type;

	if (t->kind == TY_POISON)
		return false;
	if (agg_is_quantity(t))
		return true;
	diag_error(d, DIAG_NOT_A_NUMBER, args[0]->loc, "%.*s needs a number, not a value of type %s",
		   STR_ARG(a->func), type_name(t));
	if (t->kind == TY_TIME)
		diag_help(d, "a point in time has no %.*s; durations are differences of two times",
			  STR_ARG(a->func));
	return false;
}

struct type agg_result_type(const struct type *t)
{
	struct type r = *t;

	if (t->kind == TY_BOOL || t->kind == TY_NONE)
		r = type_uint;
	r.size = 8;
	r.dense = 0;
	return r;
}

struct type agg_real_type(const struct type *t)
{
	return t->kind == TY_DURATION || t->kind == TY_SIZE ? agg_result_type(t) : type_real;
}

void agg_emit_sum(struct cg *cg, const struct p_agg *a, uint32_t off)
{
	as_imm(cg->as, R2, 0);
	if (a->arg[0].is_signed) {
		as_mov(cg->as, R2, R1);
		as_alu_imm(cg->as, BPF_ARSH, R2, 63);
	}
	cg_add_words(cg, off, (const int[]){ R1, R2 }, 2);
}

void agg_sum_merge(struct agg_sum_state *into, const struct agg_sum_state *from)
{
	into->low += from->low;
	into->high += from->high + (into->low < from->low);
}

__int128 agg_sum_of(const struct agg_sum_state *s)
{
	return (__int128)((unsigned __int128)s->high << 64 | s->low);
}

void agg_emit_order(struct cg *cg, const struct type *t)
{
	if (!t->is_signed)
		return;
	/* R1 ^= 1 << 63 */
	as_imm(cg->as, R2, INT64_MIN);
	as_alu(cg->as, BPF_XOR, R1, R2);
}
