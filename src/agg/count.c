/* count: how many rows. */
#include "agg/rules.h"

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)d, (void)args, (void)loc;
	a->column.type = type_uint;
	a->column.is_counter = true;
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return 8;
}

/* state[0]++ */
static void emit(struct cg *cg, const struct p_agg *a)
{
	as_imm(cg->as, R1, 1);
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

const struct agg_ops agg_count = {
	.name = "count",
	.help = "how many rows",
	.example = "syscall:read | count, failed = count where ret < 0 by comm",
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.finish = finish,
	.zero_if_missing = true,
	.counts_rows = true,
};
