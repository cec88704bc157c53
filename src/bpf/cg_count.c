/*
 * Counters of what was lost: in place, behind the program, or by a function that the
 * program's places share.
 */
#include "bpf/cg_map.h"
#include "bpf/cg_state.h"

/* p = lookup(counters, 0); if (p) p[counter] += 1, or the number in the frame */
static void count(struct cg *cg, int counter, int at)
{
	as_label gone = as_new_label(cg->as);
	int key = cg->state->zero_off;

	if (counter < 0)
		return;
	as_store_imm(cg->as, 8, R10, key, 0);
	cg_find(cg, cg->image->counters, (struct place){ R10, key }, gone);
	if (at)
		as_load(cg->as, 8, R1, R10, at);
	else
		as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_ADD, R0, counter * 8, R1);
	as_bind(cg->as, gone);
}

void cg_count(struct cg *cg, int counter)
{
	if (counter < 0)
		return;
	cg->state->counts++;
	if (cg->state->counts_called) {
		as_imm(cg->as, R1, counter * 8);
		as_call_function(cg->as, cg->state->count_function);
	} else {
		count(cg, counter, 0);
	}
}

void cg_count_number(struct cg *cg, int counter, int at)
{
	as_label none = as_new_label(cg->as);

	if (counter < 0)
		return;
	as_load(cg->as, 8, R1, R10, at);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, none);
	count(cg, counter, at);
	as_bind(cg->as, none);
}

as_label cg_count_then(struct cg *cg, int counter, as_label to)
{
	struct cg_state *s = cg->state;
	as_label at;

	if (counter < 0)
		return to;
	for (int i = 0; i < s->colds.n; i++)
		if (s->colds.v[i].counter == counter && s->colds.v[i].to == to)
			return s->colds.v[i].at;
	at = as_new_label(cg->as);
	vec_push(cg->arena, &s->colds, ((struct cold){ at, to, counter }));
	return at;
}

void cg_count_colds(struct cg *cg)
{
	for (int i = 0; i < cg->state->colds.n; i++) {
		const struct cold *c = &cg->state->colds.v[i];

		as_note(cg->as, cg->plan->counters.v[c->counter].loc,
			loss_name(cg->plan->counters.v[c->counter].id));
		as_bind(cg->as, c->at);
		cg_count(cg, c->counter);
		as_jump(cg->as, c->to);
	}
}

/* What is counted in more than one place is so by a function: 2 instructions each, not 10.
 * Its counter, a constant wherever it is called, is R1. */
static void count_function(struct cg *cg)
{
	as_label gone = as_new_label(cg->as);
	const int key = -8;

	as_note(cg->as, (struct loc){ 0 }, "count");
	as_bind(cg->as, cg->state->count_function);
	as_mov(cg->as, R6, R1);
	as_store_imm(cg->as, 8, R10, key, 0);
	cg_find(cg, cg->image->counters, (struct place){ R10, key }, gone);
	as_alu(cg->as, BPF_ADD, R0, R6);
	as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_ADD, R0, 0, R1);
	as_bind(cg->as, gone);
	as_imm(cg->as, R0, 0);
	as_exit(cg->as);
}

/* Provides it, or asks for it where only the kernel runs the program. */
void cg_count_function(struct cg *cg)
{
	struct cg_state *s = cg->state;
	int attach = cg->event->attach;

	if (s->counts_called)
		count_function(cg);
	else if (s->counts > 1 && !s->counts_inline && attach != ATTACH_RECORD &&
		 attach != ATTACH_OPEN)
		s->wants |= NEED_COUNT;
	s->counts_called = false;
}
