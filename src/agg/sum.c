/* sum(e): the values added up; a sum beyond 64 bits is a real number. */
#include "agg/rules.h"

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)loc;
	if (!agg_check_quantity(d, a, args))
		return false;
	a->column.type = agg_result_type(&args[0]->type);
	a->column.is_counter = !a->column.type.is_signed || a->column.type.kind == TY_DURATION ||
			       a->column.type.kind == TY_SIZE;
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return sizeof(struct agg_sum_state);
}

/* state += e */
static void emit(struct cg *cg, const struct p_agg *a)
{
	cg_arg(cg, a, 0, R1);
	agg_emit_sum(cg, a, a->state_off);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	(void)a;
	agg_sum_merge(into, from);
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	__int128 sum = agg_sum_of(state);

	(void)arena, (void)buckets, (void)n_buckets, (void)seconds;
	if (a->arg[0].is_signed ? sum == (int64_t)sum : sum == (uint64_t)sum)
		return agg_int((int64_t)sum);
	return agg_number((double)sum);
}

const struct agg_ops agg_sum = {
	.name = "sum",
	.takes = "(e)",
	.help = "the values added up, in 128 bits",
	.example = "syscall:write | bytes = sum(ret) where ret > 0 by comm | top 10 by bytes",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.finish = finish,
	.zero_if_missing = true,
};
