/*
 * p50(e), p99.9(e): the value that so many percent of the values do not exceed
 * (nearest rank), from buckets: 16 in each power of two, so at most 1/16 wide.
 * What is shown is the middle of the bucket, but no more than the largest value that came
 * and no less than the smallest. Bucket 0 are the negative values: a percentile among them
 * is none.
 */
#include "agg/rules.h"

#define SUB_BITS 4
#define SUBS (1u << SUB_BITS)
#define NEGATIVE 0u
#define FIRST 1u
#define N_BUCKETS (FIRST + SUBS + (64 - SUB_BITS) * SUBS)

/* Of the values that are not negative; zero: none came. */
struct bounds_state {
	uint64_t most, least_inverted;
};

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)loc;
	if (!agg_check_quantity(d, a, args))
		return false;
	a->column.type = agg_result_type(&args[0]->type);
	a->column.error = 1.0 / SUBS;
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return sizeof(struct bounds_state);
}

static void emit_bounds(struct cg *cg, const struct p_agg *a)
{
	as_label negative = as_new_label(cg->as);

	cg_arg(cg, a, 0, R1);
	if (a->arg[0].is_signed)
		as_jump_if_imm(cg->as, BPF_JSLT, R1, 0, negative);
	cg_max(cg, a->state_off + offsetof(struct bounds_state, most));
	as_alu_imm(cg->as, BPF_XOR, R1, -1);
	cg_max(cg, a->state_off + offsetof(struct bounds_state, least_inverted));
	as_bind(cg->as, negative);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	struct bounds_state *to = into;
	const struct bounds_state *s = from;

	(void)a;
	if (s->most > to->most)
		to->most = s->most;
	if (s->least_inverted > to->least_inverted)
		to->least_inverted = s->least_inverted;
}

/*
 *	R0 = NEGATIVE;
 *	if (e >= 0) {
 *		R0 = e;
 *		if (e >= SUBS) {
 *			shift = log2(e) - SUB_BITS;
 *			R0 = shift * SUBS + (e >> shift);	// e >> shift is 16 .. 31
 *		}
 *		R0 += FIRST;
 *	}
 */
static void emit_bucket(struct cg *cg, const struct p_agg *a)
{
	struct as *as = cg->as;
	as_label done = as_new_label(as), exact = as_new_label(as);

	if (a->arg[0].is_signed) {
		as_imm(as, R0, NEGATIVE);
		as_jump_if_imm(as, BPF_JSLT, R1, 0, done);
	}
	as_mov(as, R0, R1);
	as_jump_if_imm(as, BPF_JLT, R1, SUBS, exact);
	as_mov(as, R3, R1);
	cg_log2(cg, R2, R1, R0);
	as_alu_imm(as, BPF_SUB, R2, SUB_BITS + 1);
	as_alu_imm(as, BPF_AND, R2, 63);	/* the verifier wants it below 64 */
	as_alu(as, BPF_RSH, R3, R2);
	as_mov(as, R0, R2);
	as_alu_imm(as, BPF_LSH, R0, SUB_BITS);
	as_alu(as, BPF_ADD, R0, R3);
	as_bind(as, exact);
	as_alu_imm(as, BPF_ADD, R0, FIRST);
	as_bind(as, done);
}

static uint32_t n_dense(const struct p_agg *a)
{
	(void)a;
	return N_BUCKETS;
}

/* The middle, moved to a bound that lies in the bucket: so it does in the first and the last. */
static uint64_t bucket_value(uint64_t bucket, const struct bounds_state *s)
{
	uint64_t b = bucket - FIRST, shift, low, high, middle;

	if (b < SUBS)
		return b;
	shift = b / SUBS - 1;
	low = (b % SUBS + SUBS) << shift;
	high = low + ((1ull << shift) - 1);
	middle = low + (high - low) / 2;
	if (s->most >= low && s->most < middle)
		return s->most;
	if (~s->least_inverted <= high && ~s->least_inverted > middle)
		return ~s->least_inverted;
	return middle;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	uint64_t total = 0, rank, sum = 0;
	long double exact;

	(void)arena, (void)seconds;
	for (int i = 0; i < n_buckets; i++)
		total += buckets[i].count;
	if (!total)
		return agg_none();
	exact = (long double)total * a->number[0] / 100;
	rank = (uint64_t)exact;
	/* 99.9% of 1000 is 999, also where the product is a little above it */
	if (exact - rank > 1e-9L * total && rank < total)
		rank++;
	if (!rank)
		rank = 1;
	for (int i = 0; i < n_buckets; i++) {
		sum += buckets[i].count;
		if (sum < rank)
			continue;
		if (buckets[i].bucket == NEGATIVE || buckets[i].bucket >= N_BUCKETS)
			return agg_none();
		return agg_int((int64_t)bucket_value(buckets[i].bucket, state));
	}
	return agg_none();
}

const struct agg_ops agg_percentile = {
	.name = "p",
	.any_percent = true,
	.takes = "50(e), p99.9(e)",
	.help = "the percentile: so many percent of the values do not exceed it",
	.example = "syscall:futex | p50(duration), p99(duration) by comm",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit_bounds,
	.emit_bucket = emit_bucket,
	.n_dense = n_dense,
	.merge = merge,
	.finish = finish,
};
