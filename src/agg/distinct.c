/*
 * distinct(e): how many different values. A value is its own bucket; a string's is
 * a 64-bit hash of it, so that two of a million strings are taken for one with a
 * chance of 1 in 37 million. The state is how often a value found the table of
 * buckets full: then there are at least as many as it has, and one more.
 */
#include "agg/rules.h"

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)d, (void)loc;
	if (args[0]->type.kind == TY_POISON)
		return false;
	a->column.type = type_uint;
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return 8;
}

/*
 * A word: R0 = R1. A string, words w of it, zero behind its end:
 *
 *	h = 0;
 *	for each w: h = (h ^ w) * M; h ^= h >> 29;
 */
static void emit_bucket(struct cg *cg, const struct p_agg *a)
{
	struct as *as = cg->as;

	if (type_is_word(&a->arg[0])) {
		as_mov(as, R0, R1);
		return;
	}
	as_imm(as, R0, 0);
	as_imm(as, R3, (int64_t)0x9e3779b97f4a7c15ull);
	for (uint32_t at = 0; at < a->arg[0].bytes; at += 8) {
		as_load(as, 8, R2, R1, (int)at);
		as_alu(as, BPF_XOR, R0, R2);
		as_alu(as, BPF_MUL, R0, R3);
		as_mov(as, R2, R0);
		as_alu_imm(as, BPF_RSH, R2, 29);
		as_alu(as, BPF_XOR, R0, R2);
	}
}

static uint32_t n_dense(const struct p_agg *a)
{
	(void)a;
	return 0;
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	(void)a;
	*(uint64_t *)into += *(const uint64_t *)from;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	bool full = *(const uint64_t *)state;
	struct cell c = agg_int((int64_t)n_buckets + full);

	(void)arena, (void)a, (void)buckets, (void)seconds;
	c.at_least = full;
	return c;
}

const struct agg_ops agg_distinct = {
	.name = "distinct",
	.takes = "(e)",
	.help = "how many different values, exact; `>= N` if the table was full",
	.example = "syscall:openat | distinct(str(filename)) by comm",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit_bucket = emit_bucket,
	.n_dense = n_dense,
	.counts_left_out = true,
	.merge = merge,
	.finish = finish,
};
