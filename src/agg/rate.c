/* rate: rows a second, over the length of the interval. */
#include "agg/agg.h"
#include "agg/rules.h"

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)d, (void)args, (void)loc;
	a->column.type = type_real;
	a->column.type.kind = TY_RATE;
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	return agg_count.state_bytes(a);
}

static void emit(struct cg *cg, const struct p_agg *a)
{
	agg_count.emit(cg, a);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	agg_count.merge(a, into, from);
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	(void)arena, (void)a, (void)buckets, (void)n_buckets;
	if (!(seconds > 0))
		return agg_none();
	return agg_number((double)*(const uint64_t *)state / seconds);
}

const struct agg_ops agg_rate = {
	.name = "rate",
	.help = "rows a second",
	.example = "syscall:* | rate by event | top 10 by rate",
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.finish = finish,
};
