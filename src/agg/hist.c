/*
 * hist(e): how many values in each power of two. Bucket 0 are the negative values,
 * 1 is zero, b > 1 is 2^(b-2) .. 2^(b-1) - 1. Zero and one are shown as one row,
 * as bcc's histograms do.
 */
#include "agg/rules.h"

#define NEGATIVE 0u
#define ZERO 1u
#define N_BUCKETS 66u

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)loc;
	if (!agg_check_quantity(d, a, args))
		return false;
	a->column.type = (struct type){ .kind = TY_HIST };
	if (args[0]->type.kind == TY_DURATION || args[0]->type.kind == TY_SIZE)
		a->column.type.of = args[0]->type.kind;
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return 0;
}

/* R0 = e < 0 ? NEGATIVE : ZERO + log2(e) + 1 */
static void emit_bucket(struct cg *cg, const struct p_agg *a)
{
	as_label done = as_new_label(cg->as);

	if (a->arg[0].is_signed) {
		as_imm(cg->as, R0, NEGATIVE);
		as_jump_if_imm(cg->as, BPF_JSLT, R1, 0, done);
	}
	cg_log2(cg, R0, R1, R2);
	as_alu_imm(cg->as, BPF_ADD, R0, ZERO);
	as_bind(cg->as, done);
}

static uint32_t n_dense(const struct p_agg *a)
{
	(void)a;
	return N_BUCKETS;
}

static __int128 bucket_low(uint64_t b)
{
	if (b == NEGATIVE)
		return HIST_BELOW;
	return b <= ZERO + 1 ? 0 : (__int128)1 << (b - 2);
}

static __int128 bucket_high(uint64_t b)
{
	if (b == NEGATIVE)
		return -1;
	return b <= ZERO + 1 ? 1 : ((__int128)1 << (b - 1)) - 1;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	struct hist *h = arena_new(arena, struct hist);
	uint64_t first, last;
	int at = 0;

	(void)a, (void)state, (void)seconds;
	if (!n_buckets)
		return agg_none();
	first = buckets[0].bucket;
	last = buckets[n_buckets - 1].bucket;
	if (last >= N_BUCKETS)		/* no program of ours made it */
		last = N_BUCKETS - 1;
	h->rows = arena_array(arena, struct hist_row, N_BUCKETS);
	for (uint64_t b = first; b <= last; b++) {
		struct hist_row *r;

		if (b == ZERO + 1 && h->n && h->rows[h->n - 1].hi == 1)
			r = &h->rows[h->n - 1];
		else
			r = &h->rows[h->n++];
		r->lo = bucket_low(b);
		r->hi = bucket_high(b);
		while (at < n_buckets && buckets[at].bucket == b)
			r->count += buckets[at++].count;
	}
	return (struct cell){ .kind = CELL_HIST, .hist = h };
}

const struct agg_ops agg_hist = {
	.name = "hist",
	.takes = "(e)",
	.help = "a histogram: how many values in each power of two",
	.example = "syscall:read | hist(duration) by comm",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit_bucket = emit_bucket,
	.n_dense = n_dense,
	.finish = finish,
};
