/* sum(e): the values added up, 64 bits that wrap as C's do. */
#include "agg/rules.h"

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)loc;
	if (!agg_check_quantity(d, a, args))
		return false;
	a->column.type = agg_result_type(&args[0]->type);
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return 8;
}

/* state[0] += e */
static void emit(struct cg *cg, const struct p_agg *a)
{
	cg_arg(cg, a, 0, R1);
	cg_add(cg, a->state_off, R1);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	(void)a;
	*(uint64_t *)into += *(const uint64_t *)from;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	(void)arena, (void)a, (void)buckets, (void)n_buckets, (void)seconds;
	return agg_int(*(const int64_t *)state);
}

const struct agg_ops agg_sum = {
	.name = "sum",
	.help = "the values added up",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.finish = finish,
	.zero_if_missing = true,
};
