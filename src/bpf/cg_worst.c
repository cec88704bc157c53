/*
 * worst: the rows with the largest rank, kept where they happen. Each CPU has N slots
 * and a head, which knows the smallest rank in them: a row that is not larger costs
 * one comparison, and what is shown of a row is read only when it is kept.
 *
 * Programs that can be interrupted by others of their query have slots for each of
 * SCRATCH_LEVELS, as with scratch. User space merges them all: agg/worst.c.
 */
#include "bpf/cg_map.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_state.h"

#include <stddef.h>

/*
 *	key = half * levels;
 *	for (i = 0; i < levels; i++, key++) {
 *		R7 = lookup(heads, key);
 *		if (!xchg(&R7->busy, 1)) goto found;
 *	}
 *	dropped++; goto done;
 */
static void acquire(struct cg *cg, const struct img_table *t, int key, as_label done)
{
	as_label found = as_new_label(cg->as);

	if (t->doubled) {
		cg_half(cg, t);
		as_alu_imm(cg->as, BPF_MUL, R0, (int32_t)t->levels);
	} else {
		as_imm(cg->as, R0, 0);
	}
	as_store(cg->as, 8, R10, key, R0);
	for (uint32_t i = 0; i < t->levels; i++) {
		if (i) {
			as_load(cg->as, 8, R0, R10, key);
			as_alu_imm(cg->as, BPF_ADD, R0, 1);
			as_store(cg->as, 8, R10, key, R0);
		}
		cg_find(cg, t->heads, (struct place){ R10, key }, done);
		as_mov(cg->as, R7, R0);
		if (t->levels == 1)
			break;
		as_imm(cg->as, R1, 1);
		as_atomic(cg->as, BPF_XCHG, R7, WORST_BUSY, R1);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, found);
	}
	if (t->levels > 1)
		as_jump(cg->as, cg_count_then(cg, t->query->c_dropped, done));
	as_bind(cg->as, found);
}

/*
 *	if (used < N) index = used++;
 *	else if (rank <= smallest) goto release; else index = the smallest's;
 */
static void choose(struct cg *cg, const struct p_query *q, int rank, int index, as_label release)
{
	as_label full = as_new_label(cg->as), end = as_new_label(cg->as);

	as_load(cg->as, 8, R1, R7, WORST_USED);
	as_jump_if_imm(cg->as, BPF_JGE, R1, q->worst_n, full);
	as_mov(cg->as, R2, R1);
	as_alu_imm(cg->as, BPF_ADD, R2, 1);
	as_store(cg->as, 8, R7, WORST_USED, R2);
	as_jump(cg->as, end);
	as_bind(cg->as, full);
	as_load(cg->as, 8, R0, R10, rank);
	as_load(cg->as, 8, R1, R7, WORST_RANK);
	as_jump_if(cg->as, q->worst_signed ? BPF_JSLE : BPF_JLE, R0, R1, release);
	as_load(cg->as, 8, R1, R7, WORST_INDEX);
	as_jump_if_imm(cg->as, BPF_JGE, R1, q->worst_n, release);
	as_bind(cg->as, end);
	as_store(cg->as, 8, R10, index, R1);
	as_alu_imm(cg->as, BPF_LSH, R1, 3);
	as_alu(cg->as, BPF_ADD, R1, R7);
	as_load(cg->as, 8, R0, R10, rank);
	as_store(cg->as, 8, R1, WORST_RANKS, R0);
}

/* Which is the smallest now, for the next row: only when all slots are used. */
static void find_smallest(struct cg *cg, const struct p_query *q)
{
	as_label not_full = as_new_label(cg->as);

	as_load(cg->as, 8, R1, R7, WORST_USED);
	as_jump_if_imm(cg->as, BPF_JLT, R1, q->worst_n, not_full);
	as_load(cg->as, 8, R1, R7, WORST_RANKS);
	as_imm(cg->as, R2, 0);
	for (int i = 1; i < q->worst_n; i++) {
		as_label larger = as_new_label(cg->as);

		as_load(cg->as, 8, R3, R7, WORST_RANKS + 8 * i);
		as_jump_if(cg->as, q->worst_signed ? BPF_JSLE : BPF_JLE, R1, R3, larger);
		as_mov(cg->as, R1, R3);
		as_imm(cg->as, R2, i);
		as_bind(cg->as, larger);
	}
	as_store(cg->as, 8, R7, WORST_RANK, R1);
	as_store(cg->as, 8, R7, WORST_INDEX, R2);
	as_bind(cg->as, not_full);
}

/* slot = lookup(slots, key * N + index); *slot = { 1, rank, row } */
static void keep_row(struct cg *cg, const struct p_branch *b, const struct img_table *t,
		     const int *at, as_label release)
{
	int key = at[0], index = at[1], rank = at[2];

	as_load(cg->as, 8, R0, R10, key);
	as_alu_imm(cg->as, BPF_MUL, R0, t->query->worst_n);
	as_load(cg->as, 8, R1, R10, index);
	as_alu(cg->as, BPF_ADD, R0, R1);
	as_store(cg->as, 8, R10, index, R0);
	cg_find(cg, t->rows[0], (struct place){ R10, index }, release);
	as_mov(cg->as, R7, R0);
	as_store_imm(cg->as, 8, R7, offsetof(struct img_slot, used), 1);
	as_load(cg->as, 8, R1, R10, rank);
	as_store(cg->as, 8, R7, offsetof(struct img_slot, rank), R1);
	as_alu_imm(cg->as, BPF_ADD, R7, offsetof(struct img_slot, record));
	cg_record(cg, b);
}

void cg_worst(struct cg *cg, const struct p_branch *b, as_label done)
{
	const struct img_table *t = cg_table(cg, b->query);
	as_label release = as_new_label(cg->as);
	int rank = cg_frame(cg, 8), key = cg_frame(cg, 8), index = cg_frame(cg, 8);
	int head = cg_frame(cg, 8);

	as_note(cg->as, b->rank->loc, "worst: by this");
	cg_word(cg, b->rank, done);
	as_store(cg->as, 8, R10, rank, R0);
	as_note(cg->as, b->query->loc, "worst: is it one?");
	acquire(cg, t, key, done);
	as_store(cg->as, 8, R10, head, R7);
	choose(cg, b->query, rank, index, release);
	find_smallest(cg, b->query);
	as_note(cg->as, b->query->loc, "worst: keep the row");
	keep_row(cg, b, t, (int[]){ key, index, rank }, release);
	as_bind(cg->as, release);
	if (t->levels > 1) {
		as_load(cg->as, 8, R7, R10, head);
		as_store_imm(cg->as, 8, R7, WORST_BUSY, 0);
	}
}
