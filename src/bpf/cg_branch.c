/*
 * Branches: the way of a row through its query's stages to the sink. A new row
 * stage is a row of `steps`.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_state.h"

static void step_where(struct cg *cg, const struct p_step *st, as_label done)
{
	cg_jump_when(cg, st->expr, false, done);
}

/* value = e; or none = 1, value = 0 */
static void step_let(struct cg *cg, const struct p_step *st, as_label done)
{
	struct cg_let *let = &cg->state->lets[st->let];
	int bytes = cg_value_bytes(&st->expr->type);
	as_label none = as_new_label(cg->as), end = as_new_label(cg->as);

	(void)done;
	let->at = cg_room(cg, bytes);
	if (st->expr->may_none) {
		let->none_off = cg_frame(cg, 8);
		as_store_imm(cg->as, 8, R10, let->none_off, 0);
	}
	cg_value(cg, st->expr, let->at, &st->expr->type, none);
	as_jump(cg->as, end);
	as_bind(cg->as, none);
	if (st->expr->may_none) {
		cg_zero(cg, let->at, bytes);
		as_store_imm(cg->as, 8, R10, let->none_off, 1);
	}
	as_bind(cg->as, end);
}

/* R0 = a number that is the same for the same key; mixes by Fibonacci hashing */
static void sample_hash(struct cg *cg, const struct px *key, as_label done)
{
	int bytes = cg_value_bytes(&key->type);
	struct place at = cg_room(cg, bytes);

	if (cg_pointerish(key)) {
		cg_word(cg, key, done);
		cg_scalar(cg);
		as_store(cg->as, 8, at.reg, at.off, R0);
	} else {
		cg_value(cg, key, at, &key->type, done);
	}
	as_imm(cg->as, R0, 0);
	as_imm(cg->as, R2, (int64_t)0x9e3779b97f4a7c15ull);
	for (int i = 0; i < bytes; i += 8) {
		as_load(cg->as, 8, R1, at.reg, at.off + i);
		as_alu(cg->as, BPF_XOR, R0, R1);
		as_alu(cg->as, BPF_MUL, R0, R2);
		as_mov(cg->as, R1, R0);
		as_alu_imm(cg->as, BPF_RSH, R1, 32);
		as_alu(cg->as, BPF_XOR, R0, R1);
	}
}

/* if (n++ % N) goto done, or by the key's hash */
static void step_sample(struct cg *cg, const struct p_step *st, as_label done)
{
	if (st->n < 2)
		return;
	if (st->expr) {
		sample_hash(cg, st->expr, done);
	} else {
		cg_global_address(cg, R1, st->global);
		as_imm(cg->as, R0, 1);
		as_atomic(cg->as, BPF_ADD | BPF_FETCH, R1, 0, R0);
	}
	as_imm(cg->as, R1, (int64_t)st->n);
	as_alu(cg->as, BPF_MOD, R0, R1);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, done);
}

/* if (n >= N || n++ >= N) goto done */
static void step_first(struct cg *cg, const struct p_step *st, as_label done)
{
	cg_global_address(cg, R1, st->global);
	as_imm(cg->as, R2, (int64_t)st->n);
	as_load(cg->as, 8, R0, R1, 0);
	as_jump_if(cg->as, BPF_JGE, R0, R2, done);
	as_imm(cg->as, R0, 1);
	as_atomic(cg->as, BPF_ADD | BPF_FETCH, R1, 0, R0);
	as_jump_if(cg->as, BPF_JGE, R0, R2, done);
}

static const struct {
	const char *what;
	void (*emit)(struct cg *cg, const struct p_step *st, as_label done);
} steps[] = {
	[STEP_WHERE] = { "where", step_where },
	[STEP_LET] = { "let", step_let },
	[STEP_SAMPLE] = { "sample", step_sample },
	[STEP_FIRST] = { "first", step_first },
};

static const struct {
	const char *what;
	void (*emit)(struct cg *cg, const struct p_branch *b, as_label done);
} sinks[] = {
	[SINK_PRINT] = { "print", cg_print },
	[SINK_AGGS] = { "aggregate", cg_aggs },
	[SINK_WORST] = { "worst", cg_worst },
};

static void branch(struct cg *cg, const struct p_branch *b)
{
	as_label done = as_new_label(cg->as);
	struct mark m = cg_mark(cg);

	cg->branch = b;
	cg->state->lets = arena_array(cg->arena, struct cg_let, b->n_lets);
	for (int i = 0; i < b->steps.n; i++) {
		const struct p_step *st = &b->steps.v[i];

		cg_note(cg, st->loc, steps[st->kind].what);
		steps[st->kind].emit(cg, st, done);
	}
	cg_note(cg, b->query->loc, sinks[b->query->sink].what);
	sinks[b->query->sink].emit(cg, b, done);
	as_bind(cg->as, done);
	cg->branch = NULL;
	cg_release(cg, m);
}

void cg_branches(struct cg *cg, const struct p_action *act)
{
	for (int i = 0; i < act->branches.n; i++)
		branch(cg, act->branches.v[i]);
}
