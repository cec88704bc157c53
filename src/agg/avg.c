/* avg(e): the mean, a real number; none when there was no value. */
#include "agg/rules.h"

struct avg_state {
	struct agg_sum_state sum;
	uint64_t n;
};

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)loc;
	if (!agg_check_quantity(d, a, args))
		return false;
	a->column.type = agg_real_type(&args[0]->type);
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return sizeof(struct avg_state);
}

/* state.sum += e; state.n++ */
static void emit(struct cg *cg, const struct p_agg *a)
{
	cg_arg(cg, a, 0, R1);
	agg_emit_sum(cg, a, a->state_off + offsetof(struct avg_state, sum));
	as_imm(cg->as, R1, 1);
	cg_add(cg, a->state_off + offsetof(struct avg_state, n), R1);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	struct avg_state *to = into;
	const struct avg_state *s = from;

	(void)a;
	agg_sum_merge(&to->sum, &s->sum);
	to->n += s->n;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	const struct avg_state *s = state;

	(void)arena, (void)a, (void)buckets, (void)n_buckets, (void)seconds;
	return s->n ? agg_number((double)((long double)agg_sum_of(&s->sum) / s->n)) : agg_none();
}

const struct agg_ops agg_avg = {
	.name = "avg",
	.takes = "(e)",
	.help = "the mean",
	.example = "syscall:read | count, avg(duration) by comm",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.finish = finish,
};
