/* sequential(at, next): how many rows begin (at) where the one before of the same key ended (next). */
#include "agg/rules.h"

struct sequential_state {
	uint64_t count;
	uint64_t next, seen;	/* of the latest row */
};

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	bool ok = agg_check_quantity(d, a, args);

	(void)loc;
	a->column.type = type_uint;
	return agg_check_quantity(d, a, args + 1) && ok;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	(void)a;
	return sizeof(struct sequential_state);
}

/*
 *	if (xchg(&state.next, next) == at && state.seen)
 *		state.count++;
 *	state.seen = 1;
 */
static void emit(struct cg *cg, const struct p_agg *a)
{
	int next = (int)(a->state_off + offsetof(struct sequential_state, next));
	int seen = (int)(a->state_off + offsetof(struct sequential_state, seen));
	as_label elsewhere = as_new_label(cg->as);

	cg_arg(cg, a, 0, R1);
	cg_arg(cg, a, 1, R2);
	as_atomic(cg->as, BPF_XCHG, R7, next, R2);
	as_jump_if(cg->as, BPF_JNE, R1, R2, elsewhere);
	as_load(cg->as, 8, R1, R7, seen);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, elsewhere);
	as_imm(cg->as, R1, 1);
	cg_add(cg, a->state_off + offsetof(struct sequential_state, count), R1);
	as_bind(cg->as, elsewhere);
	as_store_imm(cg->as, 8, R7, seen, 1);
}

/* Rows of different keys, as in (other): neither's latest row is the other's. */
static void merge(const struct p_agg *a, void *into, const void *from)
{
	(void)a;
	((struct sequential_state *)into)->count += ((const struct sequential_state *)from)->count;
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	(void)arena, (void)a, (void)buckets, (void)n_buckets, (void)seconds;
	return agg_int((int64_t)((const struct sequential_state *)state)->count);
}

const struct agg_ops agg_sequential = {
	.name = "sequential",
	.takes = "(at, next)",
	.help = "how many rows begin (at) where the one before of the same key ended (next)",
	.example = "syscall:pread64 | count, sequential(pos, pos + ret) by pid, fd",
	.min_args = 2,
	.max_args = 2,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit,
	.merge = merge,
	.by_order = true,
	.shared = true,
	.finish = finish,
	.zero_if_missing = true,
};
