/*
 * stddev(e): the standard deviation of all values (not of a sample). The squares
 * are summed in 192 bits: 19 durations of 1 s overflow 64, 4 of the largest values
 * 128. What is made of the sums is exact in integers until the last division, but
 * for values so far apart that 128 bits do not hold it.
 */
#include "agg/rules.h"

#include <math.h>

struct stddev_state {
	uint64_t n;
	struct agg_sum_state sum;
	uint64_t squares[3];		/* the lowest word first */
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
	return sizeof(struct stddev_state);
}

/*
 * R3:R2 = R1 squared; clobbers R0 R1 R4 R5.
 *
 *	if (e < 0) e = -e;
 *	a = e >> 32; b = (u32)e;
 *	low = b * b + (a * b << 33);
 *	high = a * a + (a * b >> 31) + (low < b * b);
 */
static void emit_square(struct as *as, bool is_signed)
{
	as_label positive = as_new_label(as), no_carry = as_new_label(as);

	if (is_signed)
		as_jump_if_imm(as, BPF_JSGE, R1, 0, positive);
	else
		as_jump(as, positive);
	as_neg(as, R1);
	as_bind(as, positive);
	as_mov(as, R3, R1);
	as_alu_imm(as, BPF_RSH, R3, 32);		/* a */
	as_mov(as, R0, R1);
	as_alu_imm(as, BPF_LSH, R0, 32);
	as_alu_imm(as, BPF_RSH, R0, 32);		/* b */
	as_mov(as, R4, R3);
	as_alu(as, BPF_MUL, R4, R0);			/* a * b */
	as_alu(as, BPF_MUL, R3, R3);			/* a * a */
	as_alu(as, BPF_MUL, R0, R0);			/* b * b */
	as_mov(as, R5, R4);
	as_alu_imm(as, BPF_RSH, R5, 31);
	as_alu(as, BPF_ADD, R3, R5);
	as_mov(as, R2, R4);
	as_alu_imm(as, BPF_LSH, R2, 33);
	as_alu(as, BPF_ADD, R2, R0);			/* low */
	as_jump_if(as, BPF_JGE, R2, R0, no_carry);
	as_alu_imm(as, BPF_ADD, R3, 1);
	as_bind(as, no_carry);
}

/*
 *	state.n++; state.sum += e;
 *	state.squares += e * e;
 */
static void emit(struct cg *cg, const struct p_agg *a)
{
	as_imm(cg->as, R1, 1);
	cg_add(cg, a->state_off + offsetof(struct stddev_state, n), R1);
	cg_arg(cg, a, 0, R1);
	agg_emit_sum(cg, a, a->state_off + offsetof(struct stddev_state, sum));
	cg_arg(cg, a, 0, R1);
	emit_square(cg->as, a->arg[0].is_signed);
	as_imm(cg->as, R4, 0);
	cg_add_words(cg, a->state_off + offsetof(struct stddev_state, squares),
		     (const int[]){ R2, R3, R4 }, 3);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	struct stddev_state *to = into;
	const struct stddev_state *s = from;
	unsigned __int128 word = 0;

	(void)a;
	to->n += s->n;
	agg_sum_merge(&to->sum, &s->sum);
	for (int i = 0; i < 3; i++, word >>= 64) {
		word += (unsigned __int128)to->squares[i] + s->squares[i];
		to->squares[i] = (uint64_t)word;
	}
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	const struct stddev_state *s = state;
	__int128 sum = agg_sum_of(&s->sum), q;
	unsigned __int128 around;
	long double n = s->n, rest, about;
	double variance;

	(void)arena, (void)a, (void)buckets, (void)n_buckets, (void)seconds;
	if (!s->n)
		return agg_none();
	/* The squares around q, the mean without its fraction, are exact modulo 2^128
	 * and mostly small; around the mean itself they are smaller by n * fraction^2. */
	q = sum / (__int128)s->n;
	around = ((unsigned __int128)s->squares[1] << 64 | s->squares[0]) -
		 2 * (unsigned __int128)q * (unsigned __int128)sum +
		 (unsigned __int128)q * (unsigned __int128)q * s->n;
	about = (s->squares[2] * 0x1p64L + s->squares[1]) * 0x1p64L -
		(2 * (long double)sum - q * n) * q;
	if (about < 0x1p127L)
		about = (long double)around;
	rest = (long double)(sum - q * (__int128)s->n) / n;
	variance = (double)(about / n - rest * rest);
	return agg_number(variance > 0 ? sqrt(variance) : 0);
}

const struct agg_ops agg_stddev = {
	.name = "stddev",
	.takes = "(e)",
	.help = "the standard deviation",
	.example = "syscall:read | avg(duration), stddev(duration) by comm",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.finish = finish,
};
