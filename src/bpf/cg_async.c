/*
 * The word of an asynchronous part, which may end anywhere at any time. It changes as a whole:
 *
 *	generation (8 bits) | instances open + OPEN_NONE (8) | sum, modulo 2^48
 *
 * the sum when the number open goes 0 to 1 and 1 to 0. The row's end takes the word away by an
 * exchange, so that what comes later, which finds another generation, changes nothing; what is
 * open then is cut there.
 *
 * R7 is the row's record in the table.
 */
#include "bpf/cg_split.h"
#include "bpf/cg_state.h"

#define SUM_BITS 48
#define SUM_MASK ((1ll << SUM_BITS) - 1)
#define OPEN_NONE 64			/* a number below it: an end overtook its begin */
#define TRIES 8				/* of an exchange against other CPUs */

void cg_async_none(struct cg *cg)
{
	as_alu_imm(cg->as, BPF_AND, R0, 127);
	as_alu_imm(cg->as, BPF_OR, R0, 128);
	as_alu_imm(cg->as, BPF_LSH, R0, 8);
	as_alu_imm(cg->as, BPF_OR, R0, OPEN_NONE);
	as_alu_imm(cg->as, BPF_LSH, R0, SUM_BITS);
}

/* dst = generation & 127 | 128: never 0 */
static void load_tag(struct cg *cg, const struct p_period *p, int dst)
{
	as_load(cg->as, 8, dst, R7, (int)p->slots.v[p->split->generation].off);
	as_alu_imm(cg->as, BPF_AND, dst, 127);
	as_alu_imm(cg->as, BPF_OR, dst, 128);
}

/*
 *	old = word;
 *	for (TRIES) {
 *		if (old >> 56 != tag) goto same;
 *		new = old +- (1 << 48);
 *		if (open(more ? old : new) == OPEN_NONE) sum(new) -+= now;
 *		if (cmpxchg(&word, old, new) succeeds) goto changed or same;
 *	}
 */
void cg_async_change(struct cg *cg, const struct p_period *p, int off, bool more,
		     as_label changed, as_label same)
{
	struct as *as = cg->as;

	cg_now(cg);
	as_mov(as, R3, R0);
	load_tag(cg, p, R5);
	as_load(as, 8, R0, R7, off);
	for (int i = 0; i < TRIES; i++) {
		as_label only_count = as_new_label(as), next = as_new_label(as);

		as_mov(as, R1, R0);
		as_alu_imm(as, BPF_RSH, R1, SUM_BITS + 8);
		as_jump_if(as, BPF_JNE, R1, R5, same);
		as_mov(as, R1, R0);
		as_imm(as, R2, 1ll << SUM_BITS);
		as_alu(as, more ? BPF_ADD : BPF_SUB, R1, R2);
		as_mov(as, R2, more ? R0 : R1);
		as_alu_imm(as, BPF_RSH, R2, SUM_BITS);
		as_alu_imm(as, BPF_AND, R2, 255);
		as_jump_if_imm(as, BPF_JNE, R2, OPEN_NONE, only_count);
		as_mov(as, R2, R1);
		as_alu(as, more ? BPF_SUB : BPF_ADD, R2, R3);
		as_imm(as, R4, SUM_MASK);
		as_alu(as, BPF_AND, R2, R4);
		as_imm(as, R4, ~SUM_MASK);
		as_alu(as, BPF_AND, R1, R4);
		as_alu(as, BPF_OR, R1, R2);
		as_mov(as, R4, R0);
		as_atomic(as, BPF_CMPXCHG, R7, off, R1);
		as_jump_if(as, BPF_JEQ, R0, R4, changed);
		as_jump(as, next);
		as_bind(as, only_count);
		as_mov(as, R4, R0);
		as_atomic(as, BPF_CMPXCHG, R7, off, R1);
		as_jump_if(as, BPF_JEQ, R0, R4, same);
		as_bind(as, next);
	}
	as_jump(as, cg_count_then(cg, p->c_dropped, same));
}

void cg_async_take(struct cg *cg, int off, struct place to)
{
	as_imm(cg->as, R0, 0);
	as_atomic(cg->as, BPF_XCHG, R8, off, R0);
	as_store(cg->as, 8, to.reg, to.off, R0);
}

void cg_async_is_open(struct cg *cg, int word, as_label closed)
{
	as_alu_imm(cg->as, BPF_RSH, word, SUM_BITS);
	as_alu_imm(cg->as, BPF_AND, word, 255);
	as_jump_if_imm(cg->as, BPF_JLE, word, OPEN_NONE, closed);
}

/* Cut at now and to 0 .. duration. */
void cg_async_time(struct cg *cg)
{
	as_label closed = as_new_label(cg->as), fits = as_new_label(cg->as);
	as_label small = as_new_label(cg->as);

	as_mov(cg->as, R2, R1);
	cg_async_is_open(cg, R2, closed);
	as_alu(cg->as, BPF_ADD, R1, R0);
	as_bind(cg->as, closed);
	as_alu_imm(cg->as, BPF_LSH, R1, 64 - SUM_BITS);
	as_alu_imm(cg->as, BPF_ARSH, R1, 64 - SUM_BITS);
	as_jump_if_imm(cg->as, BPF_JSGE, R1, 0, small);
	as_imm(cg->as, R1, 0);
	as_bind(cg->as, small);
	as_load(cg->as, 8, R3, R10, cg->state->duration_off);
	as_jump_if(cg->as, BPF_JLE, R1, R3, fits);
	as_mov(cg->as, R1, R3);
	as_bind(cg->as, fits);
}
