/*
 * Of the walker through a program's stack (cg_unwind.c): the rule for a place of the code, out of the
 * tables of unwind.h.
 */
#include "bpf/cg_map.h"
#include "bpf/cg_stack.h"
#include "bpf/cg_unwind_impl.h"

#include <stddef.h>

#define BEGINS ((int)offsetof(struct unwind_process, begins))
#define RANGES ((int)offsetof(struct unwind_process, ranges))
#define RANGE_SHIFT 4			/* sizeof(struct unwind_range) */

/*
 *	if (R1 >= 0) R4 = R3, which is R4 + step;
 * By arithmetic: with a branch in each step the verifier follows every way through the
 * search, because in a loop it does not forget what it knows of R4. Clobbers R1.
 */
static void step_if(struct cg *cg, int step)
{
	as_alu_imm(cg->as, BPF_ARSH, R1, 63);
	as_alu_imm(cg->as, BPF_XOR, R1, -1);
	as_alu_imm(cg->as, BPF_AND, R1, step);
	as_alu(cg->as, BPF_ADD, R4, R1);
}

/* R9 = &ranges[R4], R3 = R8's place in it; goes on when it is in there. */
static void in_range(struct cg *cg, as_label not)
{
	struct as *as = cg->as;

	as_mov(as, R1, R4);
	as_alu_imm(as, BPF_LSH, R1, 3);
	as_alu(as, BPF_ADD, R1, R7);
	as_load(as, 8, R1, R1, BEGINS);
	as_jump_if(as, BPF_JLT, R8, R1, not);
	as_mov(as, R9, R4);
	as_alu_imm(as, BPF_LSH, R9, RANGE_SHIFT);
	as_alu(as, BPF_ADD, R9, R7);
	as_load(as, 8, R1, R9, RANGES + (int)offsetof(struct unwind_range, base));
	as_mov(as, R3, R8);
	as_alu(as, BPF_SUB, R3, R1);
	as_load(as, 4, R1, R9, RANGES + (int)offsetof(struct unwind_range, bytes));
	as_jump_if(as, BPF_JGE, R3, R1, not);
}

void cg_unwind_search(struct cg *cg, int step, int least)
{
	struct as *as = cg->as;

	for (; step >= least; step /= 2) {
		as_mov(as, R3, R4);
		as_alu_imm(as, BPF_ADD, R3, step);
		as_alu_imm(as, BPF_LSH, R3, 3);
		as_alu(as, BPF_ADD, R3, R7);
		as_load(as, 8, R3, R3, BEGINS);
		as_mov(as, R1, R8);
		as_alu(as, BPF_SUB, R1, R3);
		step_if(cg, step);
	}
}

/*
 *	if (n == all) goto stop;
 *	frames[n++] = pc;  R8 = pc - back;
 *	R9 = the range of the last frame; if it is in there goto place
 *	R9 = the range it is in, R3 = its place there
 */
static void find_range(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;
	as_label search = as_new_label(as), few = as_new_label(as);

	as_load(as, 8, R6, R2, CONTEXT_WALK);
	as_load(as, 8, R7, R2, CONTEXT_PROCESS);
	as_store(as, 8, R10, UNWIND_PROCESS_AT, R7);
	as_load(as, 8, R2, R2, CONTEXT_FRAMES);
	as_load(as, 8, R1, R6, WALK_N);
	as_jump_if_imm(as, BPF_JGT, R1, STACK_FRAMES - 1, l->stop);
	as_mov(as, R3, R1);
	as_alu_imm(as, BPF_ADD, R3, 1);
	as_store(as, 8, R6, WALK_N, R3);
	as_alu_imm(as, BPF_LSH, R1, 3);
	as_alu(as, BPF_ADD, R2, R1);
	as_load(as, 8, R8, R6, WALK_PC);
	as_store(as, 8, R2, 0, R8);
	as_load(as, 8, R3, R6, WALK_BACK);
	as_alu(as, BPF_SUB, R8, R3);
	as_load(as, 8, R4, R6, WALK_RANGE);
	as_alu_imm(as, BPF_AND, R4, UNWIND_RANGES_MOST - 1);
	in_range(cg, search);
	as_jump(as, l->place);
	as_bind(as, search);
	as_load(as, 8, R1, R7, offsetof(struct unwind_process, n));
	as_imm(as, R4, 0);
	as_jump_if_imm(as, BPF_JLE, R1, UNWIND_RANGES_FEW, few);
	cg_unwind_search(cg, UNWIND_RANGES_MOST / 2, UNWIND_RANGES_FEW);
	as_bind(as, few);
	cg_unwind_search(cg, UNWIND_RANGES_FEW / 2, 1);
	in_range(cg, l->no_range);
	as_store(as, 8, R6, WALK_RANGE, R4);
}

/*
 *	R8 = R3 % CHUNK;  R3 = R9->chunk + R3 / CHUNK;
 *	place = R3 * CHUNK + R8 + 1;  R7 = &found[(place ^ R3) % FOUND];
 *	if (*R7 >> 32 == place) { R1 = *R7; goto rule; }
 */
static void find_found(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;

	as_bind(as, l->place);
	as_mov(as, R8, R3);
	as_alu_imm(as, BPF_AND, R8, UNWIND_CHUNK_BYTES - 1);
	as_alu_imm(as, BPF_RSH, R3, UNWIND_CHUNK_SHIFT);
	as_load(as, 4, R1, R9, RANGES + (int)offsetof(struct unwind_range, chunk));
	as_alu(as, BPF_ADD, R3, R1);
	as_alu_imm(as, BPF_AND, R3, UNWIND_CHUNKS - 1);
	as_mov(as, R2, R3);
	as_alu_imm(as, BPF_LSH, R2, UNWIND_CHUNK_SHIFT);
	as_alu(as, BPF_OR, R2, R8);
	as_alu_imm(as, BPF_ADD, R2, 1);
	as_mov(as, R4, R2);
	as_alu(as, BPF_XOR, R4, R3);
	as_alu_imm(as, BPF_AND, R4, UNWIND_FOUND - 1);
	as_alu_imm(as, BPF_LSH, R4, 3);
	as_map_value(as, R7, cg->image->unwind_found, 0);
	as_alu(as, BPF_ADD, R7, R4);
	as_load(as, 8, R1, R7, 0);
	as_mov(as, R4, R1);
	as_alu_imm(as, BPF_RSH, R4, 32);
	as_jump_if(as, BPF_JEQ, R4, R2, l->rule);
	as_store(as, 8, R6, WALK_PLACE, R2);
}

/*
 *	R9 = directory[R3];
 *	R0 = lookup(pieces, R9's piece); R0 = lookup(R0, 0);
 */
static void find_piece(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;

	as_alu_imm(as, BPF_LSH, R3, 2);
	as_map_value(as, R1, cg->image->unwind_chunks, 0);
	as_alu(as, BPF_ADD, R1, R3);
	as_load(as, 4, R9, R1, 0);
	as_jump_if_imm(as, BPF_JEQ, R9, 0, l->by_bp);
	as_mov(as, R1, R9);
	as_alu_imm(as, BPF_AND, R1, UNWIND_PIECES - 1);
	as_store(as, 8, R6, WALK_KEY, R1);
	cg_find(cg, cg->image->unwind_pieces, (struct place){ R6, WALK_KEY }, l->by_bp);
	as_store_imm(as, 8, R6, WALK_KEY, 0);
	as_mov(as, R1, R0);
	cg_addr(cg, R2, (struct place){ R6, WALK_KEY });
	as_call(as, BPF_FUNC_map_lookup_elem);
	as_jump_if_imm(as, BPF_JEQ, R0, 0, l->by_bp);
}

/* From each step down: if (R4 + step <= R5 && R0[R4 + step] <= R8) R4 += step */
static void search_rows(struct cg *cg, int step, int least)
{
	struct as *as = cg->as;

	for (; step >= least; step /= 2) {
		as_mov(as, R3, R4);
		as_alu_imm(as, BPF_ADD, R3, step);
		as_mov(as, R2, R3);
		as_alu_imm(as, BPF_LSH, R2, 2);
		as_alu(as, BPF_ADD, R2, R0);
		as_load(as, 4, R2, R2, 0);
		as_mov(as, R1, R8);
		as_alu(as, BPF_SUB, R1, R2);
		as_mov(as, R2, R5);
		as_alu(as, BPF_SUB, R2, R3);
		as_alu(as, BPF_OR, R1, R2);	/* below 0 when one of them is */
		step_if(cg, step);
	}
}

/* if (R1's kind == FAR) R1 = R0[R1's offset] */
static void far_rule(struct cg *cg)
{
	struct as *as = cg->as;
	as_label near = as_new_label(as);

	as_mov(as, R2, R1);
	as_alu_imm(as, BPF_AND, R2, (1 << UNWIND_KIND_BITS) - 1);
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_FAR, near);
	as_alu_imm(as, BPF_RSH, R1, UNWIND_OFFSET_SHIFT);
	as_alu_imm(as, BPF_AND, R1, UNWIND_CHUNK_ROWS - 1);
	as_alu_imm(as, BPF_LSH, R1, 2);
	as_alu(as, BPF_ADD, R0, R1);
	as_load(as, 4, R1, R0, 0);
	as_bind(as, near);
}

/*
 *	R0 = the chunk's first row;  R5 = how many there are beside it
 *	R8 = the largest row at or before the place
 *	R1 = the rule of the last of R0[0 .. R5] that is not larger, [0] whatever it is,
 *	or the one that it leads to
 *	*R7 = place << 32 | R1
 */
static void find_rule(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;
	as_label few = as_new_label(as), fewer = as_new_label(as);

	as_mov(as, R5, R9);
	as_alu_imm(as, BPF_RSH, R5, UNWIND_ENTRY_PIECE + UNWIND_ENTRY_ROW);
	as_alu_imm(as, BPF_RSH, R9, UNWIND_ENTRY_PIECE);
	as_alu_imm(as, BPF_AND, R9, (1 << UNWIND_ENTRY_ROW) - 1);
	as_jump_if_imm(as, BPF_JGT, R9, UNWIND_PIECE_ROWS - UNWIND_CHUNK_ROWS, l->by_bp);
	as_alu_imm(as, BPF_LSH, R9, 2);
	as_alu(as, BPF_ADD, R0, R9);
	as_alu_imm(as, BPF_LSH, R8, UNWIND_RULE_BITS);
	as_alu_imm(as, BPF_OR, R8, (1 << UNWIND_RULE_BITS) - 1);
	as_imm(as, R4, 0);
	as_jump_if_imm(as, BPF_JLT, R5, UNWIND_CHUNK_ROWS_FEW, few);
	search_rows(cg, UNWIND_CHUNK_ROWS / 2, UNWIND_CHUNK_ROWS_FEW);
	as_bind(as, few);
	as_jump_if_imm(as, BPF_JLT, R5, UNWIND_CHUNK_ROWS_FEWER, fewer);
	search_rows(cg, UNWIND_CHUNK_ROWS_FEW / 2, UNWIND_CHUNK_ROWS_FEWER);
	as_bind(as, fewer);
	search_rows(cg, UNWIND_CHUNK_ROWS_FEWER / 2, 1);
	as_alu_imm(as, BPF_LSH, R4, 2);
	as_alu(as, BPF_ADD, R4, R0);
	as_load(as, 4, R1, R4, 0);
	as_alu_imm(as, BPF_AND, R1, (1 << UNWIND_RULE_BITS) - 1);
	far_rule(cg);
	as_load(as, 8, R2, R6, WALK_PLACE);
	as_alu_imm(as, BPF_LSH, R2, 32);
	as_alu(as, BPF_OR, R2, R1);
	as_store(as, 8, R7, 0, R2);
	as_bind(as, l->rule);
}

void cg_unwind_rule(struct cg *cg, const struct walk_labels *l)
{
	find_range(cg, l);
	find_found(cg, l);
	find_piece(cg, l);
	find_rule(cg, l);
}
