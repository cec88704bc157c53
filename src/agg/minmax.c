/*
 * min(e), max(e): the smallest and the largest value, exact; none when there was
 * none. The state begins as zero, so both keep a maximum of unsigned numbers:
 * max of the value's order (its sign bit flipped), min of that's complement.
 */
#include "agg/rules.h"

#include "lang/diag_tags.h"

struct extreme_state {
	uint64_t most, seen;
};

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	const struct type *t = &args[0]->type;

	(void)loc;
	if (t->kind == TY_TIME) {
		a->column.type = *t;
		return true;
	}
	if (!agg_check_quantity(d, a, args))
		return false;
	a->column.type = agg_result_type(t);
	return true;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return sizeof(struct extreme_state);
}

/* state.most = max(state.most, order(e) or ~order(e)); state.seen = 1 */
static void emit_extreme(struct cg *cg, const struct p_agg *a, bool complement)
{
	cg_arg(cg, a, 0, R1);
	agg_emit_order(cg, &a->arg[0]);
	if (complement)
		as_alu_imm(cg->as, BPF_XOR, R1, -1);
	cg_max(cg, a->state_off + offsetof(struct extreme_state, most));
	as_store_imm(cg->as, 8, R7, (int)(a->state_off + offsetof(struct extreme_state, seen)), 1);
}

static void emit_min(struct cg *cg, const struct p_agg *a)
{
	emit_extreme(cg, a, true);
}

static void emit_max(struct cg *cg, const struct p_agg *a)
{
	emit_extreme(cg, a, false);
}

static void merge(const struct p_agg *a, void *into, const void *from)
{
	struct extreme_state *to = into;
	const struct extreme_state *s = from;

	(void)a;
	if (s->most > to->most)
		to->most = s->most;
	to->seen |= s->seen;
}

static struct cell value(const struct p_agg *a, const struct extreme_state *s, uint64_t flip)
{
	uint64_t order = s->most ^ flip;

	if (!s->seen)
		return agg_none();
	return agg_int((int64_t)(a->arg[0].is_signed ? order ^ (1ull << 63) : order));
}

static struct cell finish_min(struct arena *arena, const struct p_agg *a, const void *state,
			      const struct bucket_count *buckets, int n_buckets, double seconds)
{
	(void)arena, (void)buckets, (void)n_buckets, (void)seconds;
	return value(a, state, ~0ull);
}

static struct cell finish_max(struct arena *arena, const struct p_agg *a, const void *state,
			      const struct bucket_count *buckets, int n_buckets, double seconds)
{
	(void)arena, (void)buckets, (void)n_buckets, (void)seconds;
	return value(a, state, 0);
}

const struct agg_ops agg_min = {
	.name = "min",
	.takes = "(e)",
	.help = "the smallest value",
	.example = "syscall:read | min(duration), max(duration) by comm",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit_min,
	.merge = merge,
	.finish = finish_min,
};

const struct agg_ops agg_max = {
	.name = "max",
	.takes = "(e)",
	.help = "the largest value",
	.example = "syscall:fsync | count, max(duration) by path(file(fd))",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit_max,
	.merge = merge,
	.finish = finish_max,
};
