/*
 * lhist(e, lo, hi, step): how many values in each of equal ranges. Bucket 0 is what
 * is below lo, the last one what is not below hi.
 */
#include "agg/rules.h"

#include "lang/diag_tags.h"

#define STEPS_MOST 4096
/* Integers that a double holds exactly. */
#define NUMBER_MOST (1ll << 53)

/* The constants, from p_agg's numbers. */
struct ranges {
	int64_t lo, hi, step;
	uint32_t n;
};

static struct ranges ranges_of(const struct p_agg *a)
{
	struct ranges r = { (int64_t)a->number[0], (int64_t)a->number[1], (int64_t)a->number[2], 0 };

	r.n = (uint32_t)((r.hi - r.lo + r.step - 1) / r.step);
	return r;
}

static bool check_constant(struct diag *d, const struct px *e, const struct type *of, int64_t *value)
{
	uint8_t kind = e->type.kind;

	if (kind == TY_POISON)
		return false;
	if (!px_is_number(e, value)) {
		diag_error(d, DIAG_NOT_A_NUMBER, e->loc, "lhist() needs a constant number here");
		return false;
	}
	if ((kind == TY_DURATION || kind == TY_SIZE) && kind != of->kind) {
		diag_error(d, DIAG_TYPE_MISMATCH, e->loc, "a bound of type %s does not fit values of type %s",
			   type_name(&e->type), type_name(of));
		return false;
	}
	if (*value > NUMBER_MOST || *value < -NUMBER_MOST) {
		diag_error(d, DIAG_OUT_OF_RANGE, e->loc, "this bound is too large: at most 2^53");
		return false;
	}
	return true;
}

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	int64_t v[3];
	bool ok = agg_check_quantity(d, a, args);

	for (int i = 0; i < 3; i++) {
		ok &= check_constant(d, args[1 + i], &args[0]->type, &v[i]);
		a->number[i] = ok ? (double)v[i] : 0;
	}
	if (!ok)
		return false;
	if (v[2] <= 0 || v[1] <= v[0] || (v[1] - v[0] - 1) / v[2] + 1 > STEPS_MOST) {
		diag_error(d, DIAG_OUT_OF_RANGE, loc,
			   "lhist(e, lo, hi, step) needs lo < hi and at most %d steps", STEPS_MOST);
		return false;
	}
	if (!args[0]->type.is_signed && v[0] < 0) {
		diag_error(d, DIAG_OUT_OF_RANGE, args[1]->loc, "this bound is negative, but the values never are");
		return false;
	}
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

/* R0 = e < lo ? 0 : e >= hi ? n + 1 : (e - lo) / step + 1 */
static void emit_bucket(struct cg *cg, const struct p_agg *a)
{
	struct ranges r = ranges_of(a);
	bool is_signed = a->arg[0].is_signed;
	struct as *as = cg->as;
	as_label done = as_new_label(as);

	as_imm(as, R0, 0);
	as_imm(as, R2, r.lo);
	as_jump_if(as, is_signed ? BPF_JSLT : BPF_JLT, R1, R2, done);
	as_imm(as, R0, r.n + 1);
	as_imm(as, R3, r.hi);
	as_jump_if(as, is_signed ? BPF_JSGE : BPF_JGE, R1, R3, done);
	as_alu(as, BPF_SUB, R1, R2);
	as_imm(as, R2, r.step);
	as_alu(as, BPF_DIV, R1, R2);
	as_mov(as, R0, R1);
	as_alu_imm(as, BPF_ADD, R0, 1);
	as_bind(as, done);
}

static uint32_t n_dense(const struct p_agg *a)
{
	return ranges_of(a).n + 2;
}

static struct hist_row row_of(const struct p_agg *a, const struct ranges *r, uint64_t bucket)
{
	struct hist_row row;

	if (!bucket)
		return (struct hist_row){ a->arg[0].is_signed ? HIST_BELOW : 0, r->lo - 1, 0 };
	if (bucket > r->n)
		return (struct hist_row){ r->hi, HIST_ABOVE, 0 };
	row.lo = r->lo + (int64_t)(bucket - 1) * r->step;
	row.hi = bucket == r->n ? r->hi - 1 : row.lo + r->step - 1;
	row.count = 0;
	return row;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	struct hist *h = arena_new(arena, struct hist);
	struct ranges r = ranges_of(a);
	uint64_t first, last;
	int at = 0;

	(void)state, (void)seconds;
	if (!n_buckets)
		return agg_none();
	first = buckets[0].bucket;
	last = buckets[n_buckets - 1].bucket;
	if (last > r.n + 1)		/* no program of ours made it */
		last = r.n + 1;
	h->rows = arena_array(arena, struct hist_row, r.n + 2);
	for (uint64_t b = first; b <= last; b++) {
		struct hist_row *row = &h->rows[h->n++];

		*row = row_of(a, &r, b);
		while (at < n_buckets && buckets[at].bucket == b)
			row->count += buckets[at++].count;
	}
	return (struct cell){ .kind = CELL_HIST, .hist = h };
}

const struct agg_ops agg_lhist = {
	.name = "lhist",
	.takes = "(e, lo, hi, step)",
	.help = "how many values in each of equal ranges",
	.example = "syscall:write | lhist(count, 0, 4096, 512)",
	.min_args = 4,
	.max_args = 4,
	.check = check,
	.state_bytes = state_bytes,
	.emit_bucket = emit_bucket,
	.n_dense = n_dense,
	.finish = finish,
};
