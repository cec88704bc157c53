/* any(e), last(e): the first value that came, and the latest: a word, or a string. By time over all CPUs. */
#include "agg/rules.h"

#include <string.h>

#include "lang/diag_tags.h"

struct end_state {
	uint64_t seen, time_ns;
	char value[];
};

static bool check(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc)
{
	(void)d, (void)loc;
	if (args[0]->type.kind == TY_POISON)
		return false;
	a->column.type = args[0]->type;
	return true;
}

static uint32_t value_bytes(const struct p_agg *a)
{
	return type_is_word(&a->arg[0]) ? 8 : (a->arg[0].bytes + 7) / 8 * 8;
}

static uint32_t state_bytes(const struct p_agg *a)
{
	return (uint32_t)sizeof(struct end_state) + value_bytes(a);
}

/* The string at R1 to R7 + off, in the largest steps that fit. */
static void emit_copy(struct as *as, uint32_t off, uint32_t bytes)
{
	for (uint32_t at = 0, step; at < bytes; at += step) {
		step = 8;
		while (step > bytes - at)
			step /= 2;
		as_load(as, (int)step, R2, R1, (int)at);
		as_store(as, (int)step, R7, (int)(off + at), R2);
	}
}

/* state.time_ns = R0; state.value = e; state.seen = 1, last: another CPU may look */
static void emit_keep(struct cg *cg, const struct p_agg *a)
{
	int off = (int)a->state_off;
	int value = off + (int)sizeof(struct end_state);

	as_store(cg->as, 8, R7, off + (int)offsetof(struct end_state, time_ns), R0);
	cg_arg(cg, a, 0, R1);
	if (type_is_word(&a->arg[0]))
		as_store(cg->as, 8, R7, value, R1);
	else
		emit_copy(cg->as, (uint32_t)value, a->arg[0].bytes);
	as_store_imm(cg->as, 8, R7, off + (int)offsetof(struct end_state, seen), 1);
}

/* Comes only where the state is empty (`once`). */
static void emit_any(struct cg *cg, const struct p_agg *a)
{
	cg_common(cg, COMMON_TIME);
	emit_keep(cg, a);
}

/*
 *	if (time >= state.time_ns)
 *		keep
 * In a table that CPUs share two such updates at once may leave the value of the
 * one with the time of the other: one of the two latest.
 */
static void emit_last(struct cg *cg, const struct p_agg *a)
{
	as_label older = as_new_label(cg->as);

	cg_common(cg, COMMON_TIME);
	as_load(cg->as, 8, R1, R7, (int)(a->state_off + offsetof(struct end_state, time_ns)));
	as_jump_if(cg->as, BPF_JGT, R1, R0, older);
	emit_keep(cg, a);
	as_bind(cg->as, older);
}

static void merge_any(const struct p_agg *a, void *into, const void *from)
{
	const struct end_state *to = into, *s = from;

	if (s->seen && (!to->seen || s->time_ns < to->time_ns))
		memcpy(into, s, state_bytes(a));
}

static void merge_last(const struct p_agg *a, void *into, const void *from)
{
	const struct end_state *to = into, *s = from;

	if (s->seen && (!to->seen || s->time_ns > to->time_ns))
		memcpy(into, s, state_bytes(a));
}

static struct cell finish(struct arena *arena, const struct p_agg *a, const void *state,
			  const struct bucket_count *buckets, int n_buckets, double seconds)
{
	const struct end_state *s = state;

	(void)buckets, (void)n_buckets, (void)seconds;
	if (!s->seen)
		return agg_none();
	return field_cell(arena, &a->arg[0], s->value, value_bytes(a));
}

const struct agg_ops agg_any = {
	.name = "any",
	.takes = "(e)",
	.help = "a value that is the same in all rows of a key: read once",
	.example = "syscall:chdir | any(comm), last(comm) by pid",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.once = true,
	.emit = emit_any,
	.merge = merge_any,
	.by_order = true,
	.finish = finish,
};

const struct agg_ops agg_last = {
	.name = "last",
	.takes = "(e)",
	.help = "the latest value",
	.example = "syscall:chdir | last(str(filename)) by pid",
	.min_args = 1,
	.max_args = 1,
	.check = check,
	.state_bytes = state_bytes,
	.emit = emit_last,
	.merge = merge_last,
	.by_order = true,
	.finish = finish,
};
