/* The registry of the aggregations and the rules they share. */
#include "agg/rules.h"

#include <stdlib.h>

#include "lang/diag_tags.h"

const struct agg_ops *const agg_registry[] = {
#define AGG(name) &agg_##name,
#include "agg/agg.def"
#undef AGG
	NULL
};

/* "p99.9": digits, at most one point, 0 < number <= 100. */
static bool parse_percent(struct str name, double *percent)
{
	char text[16];
	int points = 0;

	if (name.n < 2 || name.n > (int)sizeof(text) || name.p[0] != 'p')
		return false;
	for (int i = 1; i < name.n; i++) {
		char c = name.p[i];

		if (c == '.' && i > 1 && i < name.n - 1 && !points++)
			continue;
		if (c < '0' || c > '9')
			return false;
		text[i - 1] = c;
	}
	memcpy(text, name.p + 1, (size_t)name.n - 1);
	text[name.n - 1] = 0;
	*percent = strtod(text, NULL);
	return *percent > 0 && *percent <= 100;
}

const struct agg_ops *agg_find(struct str name, double *percent)
{
	double number;

	for (int i = 0; agg_registry[i]; i++)
		if (agg_registry[i] != &agg_percentile && str_is(name, agg_registry[i]->name))
			return agg_registry[i];
	if (!parse_percent(name, &number))
		return NULL;
	if (percent)
		*percent = number;
	return &agg_percentile;
}

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
