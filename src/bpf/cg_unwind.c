/*
 * A program's stack without frame pointers: one function, called by bpf_loop() for each
 * frame, that finds the rule for the frame's code in the tables of unwind.h and with it
 * the caller's frame. So the verifier sees one frame, whatever the depth, and loading
 * takes no longer for it. Code that no table is about is passed by its frame pointer.
 *
 * Registers of the function: R6 the walk, R7 the process or the slot of the rule, R8 the
 * place looked up, R9 range or CFA. The walk is in scratch and not in the frame: what is
 * loaded from it the verifier takes for any number, so that its second look at the loop is
 * its last.
 *
 * Places in a frame are those of x86-64; other machines have no tables.
 */
#include "bpf/cg_state.h"

#include <stddef.h>

#include "bpf/unwind.h"

/* struct walk, u64 each */
enum {
	WALK_PC = 0, WALK_SP = 8, WALK_BP = 16,
	WALK_BACK = 24,			/* 1: pc is a return address, its call is before it */
	WALK_RANGE = 32,		/* number of the range that the last frame was in */
	WALK_KEY = 40,
	WALK_CUT = 48,			/* enum stack_cut */
	WALK_BY_BP = 56,		/* 1: this frame was found by a frame pointer */
	WALK_N = 64,			/* frames that were taken */
	WALK_PROBED = 72,		/* sp of the frame whose caller the kernel told last */
	WALK_WINDOW = 80,		/* address of what is in WALK_WORDS */
	WALK_WHOLE = 88,		/* how many of its bytes a whole word begins at, 0: of none */
	WALK_PLACE = 96,		/* as a slot of a found rule has it */
	WALK_READ = 104,		/* what was read of a signal's frame, or of the kernel */
	WALK_READ_BYTES = 56,
	WALK_WORDS = WALK_READ + WALK_READ_BYTES,
	/* Of the stack at once. A stack of six frames took 1050 ns with a word at a time,
	 * 750 with 256 bytes, 670 with 512, 580 with 1024. */
	WINDOW_BYTES = 1024,
	WALK_BYTES = WALK_WORDS + WINDOW_BYTES + 8
};

/* What the function gets, in the program's frame: pointers. */
enum { CONTEXT_WALK = 0, CONTEXT_PROCESS = 8, CONTEXT_FRAMES = 16, CONTEXT_BYTES = 24 };

/* struct pt_regs */
enum { REGS_BP = 32, REGS_PC = 128, REGS_SP = 152 };

#define BEGINS ((int)offsetof(struct unwind_process, begins))
#define RANGES ((int)offsetof(struct unwind_process, ranges))
#define RANGE_SHIFT 4			/* sizeof(struct unwind_range) */
#define ADDRESS_BITS 47			/* of a program's own half */
#define PAGE_BYTES 4096
#define PROBES_OPEN_MOST 16		/* calls with return probes that are looked through */

struct labels {
	as_label place, rule, by_bp, pointer, step, stop;
	as_label absent, broken, whole, no_pointer;
};

static void stop_with(struct cg *cg, const struct labels *l, as_label at, enum stack_cut cut)
{
	as_bind(cg->as, at);
	as_store_imm(cg->as, 8, R6, WALK_CUT, cut);
	as_jump(cg->as, l->stop);
}

/* probe_read_user(walk + at, R2, R3), absent when it fails */
static void read_user(struct cg *cg, int at, as_label absent)
{
	cg_addr(cg, R1, (struct place){ R6, at });
	as_call(cg->as, BPF_FUNC_probe_read_user);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, absent);
}

/*
 * R1 = the word of the stack at R3:
 *
 *	R1 = R3 - window;
 *	if (R1 >= whole) {
 *		window = R3;  R1 = 0;
 *		R2 = what is left of its page, at least 8 and at most WINDOW_BYTES;
 *		whole = R2 - 7;
 *		probe_read_user(words, R2, R3), absent when it fails;
 *	}
 *	R1 = words[R1];
 *
 * No page is touched in which no word is wanted.
 */
static void read_word(struct cg *cg, as_label absent)
{
	struct as *as = cg->as;
	as_label there = as_new_label(as), less = as_new_label(as), enough = as_new_label(as);

	as_mov(as, R1, R3);
	as_load(as, 8, R2, R6, WALK_WINDOW);
	as_alu(as, BPF_SUB, R1, R2);
	as_load(as, 8, R2, R6, WALK_WHOLE);
	as_jump_if(as, BPF_JLT, R1, R2, there);
	as_store(as, 8, R6, WALK_WINDOW, R3);
	as_imm(as, R2, PAGE_BYTES);
	as_mov(as, R1, R3);
	as_alu_imm(as, BPF_AND, R1, PAGE_BYTES - 1);
	as_alu(as, BPF_SUB, R2, R1);
	as_jump_if_imm(as, BPF_JLE, R2, WINDOW_BYTES, less);
	as_imm(as, R2, WINDOW_BYTES);
	as_bind(as, less);
	as_jump_if_imm(as, BPF_JGE, R2, 8, enough);
	as_imm(as, R2, 8);
	as_bind(as, enough);
	as_mov(as, R1, R2);
	as_alu_imm(as, BPF_SUB, R1, 7);
	as_store(as, 8, R6, WALK_WHOLE, R1);
	read_user(cg, WALK_WORDS, absent);
	as_imm(as, R1, 0);
	as_bind(as, there);
	as_alu_imm(as, BPF_AND, R1, WINDOW_BYTES - 1);
	as_alu(as, BPF_ADD, R1, R6);
	as_load(as, 8, R1, R1, WALK_WORDS);
}

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

/* From each step down to 1: if (begins[R4 + step] <= R8) R4 += step */
static void search_ranges(struct cg *cg, int step, int least)
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
static void find_range(struct cg *cg, const struct labels *l)
{
	struct as *as = cg->as;
	as_label search = as_new_label(as), few = as_new_label(as);

	as_load(as, 8, R6, R2, CONTEXT_WALK);
	as_load(as, 8, R7, R2, CONTEXT_PROCESS);
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
	search_ranges(cg, UNWIND_RANGES_MOST / 2, UNWIND_RANGES_FEW);
	as_bind(as, few);
	search_ranges(cg, UNWIND_RANGES_FEW / 2, 1);
	in_range(cg, l->by_bp);
	as_store(as, 8, R6, WALK_RANGE, R4);
}

/*
 *	R8 = R3 % CHUNK;  R3 = R9->chunk + R3 / CHUNK;
 *	place = R3 * CHUNK + R8 + 1;  R7 = &found[(place ^ R3) % FOUND];
 *	if (*R7 >> 32 == place) { R1 = *R7; goto rule; }
 */
static void find_found(struct cg *cg, const struct labels *l)
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
static void find_piece(struct cg *cg, const struct labels *l)
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

/*
 *	R0 = the chunk's first row;  R5 = how many there are beside it
 *	R8 = the largest row at or before the place
 *	R1 = the rule of the last of R0[0 .. R5] that is not larger, [0] whatever it is
 *	*R7 = place << 32 | R1
 */
static void find_rule(struct cg *cg, const struct labels *l)
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
	as_load(as, 8, R2, R6, WALK_PLACE);
	as_alu_imm(as, BPF_LSH, R2, 32);
	as_alu(as, BPF_OR, R2, R1);
	as_store(as, 8, R7, 0, R2);
	as_bind(as, l->rule);
}

/* R2 = kind, R3 = offset, R8 = words to bp; R9 = the CFA, or another way is taken. */
static void apply_rule(struct cg *cg, const struct labels *l)
{
	struct as *as = cg->as;
	as_label have = as_new_label(as), not_sp = as_new_label(as), not_bp = as_new_label(as);
	as_label not_plt = as_new_label(as), not_at = as_new_label(as);

	as_mov(as, R2, R1);
	as_alu_imm(as, BPF_AND, R2, (1 << UNWIND_KIND_BITS) - 1);
	as_mov(as, R8, R1);
	as_alu_imm(as, BPF_RSH, R8, UNWIND_BP_SHIFT);
	as_alu_imm(as, BPF_AND, R8, UNWIND_BP_AT_BP);
	as_mov(as, R3, R1);
	as_alu_imm(as, BPF_RSH, R3, UNWIND_KIND_BITS);
	as_alu_imm(as, BPF_AND, R3, (1 << UNWIND_OFFSET_BITS) - 1);
	as_alu_imm(as, BPF_LSH, R3, 3);
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_SP, not_sp);
	as_load(as, 8, R9, R6, WALK_SP);
	as_alu(as, BPF_ADD, R9, R3);
	as_jump(as, have);
	as_bind(as, not_sp);
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_BP, not_bp);
	as_load(as, 8, R9, R6, WALK_BP);
	as_alu(as, BPF_ADD, R9, R3);
	as_jump(as, have);
	as_bind(as, not_bp);
	as_jump_if_imm(as, BPF_JEQ, R2, UNWIND_END, l->whole);
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_PLT, not_plt);
	as_load(as, 8, R9, R6, WALK_SP);
	as_alu_imm(as, BPF_ADD, R9, 8);
	as_load(as, 8, R1, R6, WALK_PC);
	as_alu_imm(as, BPF_AND, R1, 15);
	as_alu_imm(as, BPF_RSH, R3, 3);
	as_jump_if(as, BPF_JLT, R1, R3, have);
	as_alu_imm(as, BPF_ADD, R9, 8);
	as_jump(as, have);
	as_bind(as, not_plt);
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_AT_BP, not_at);
	as_load(as, 8, R1, R6, WALK_BP);
	as_alu(as, BPF_SUB, R1, R3);
	as_mov(as, R3, R1);
	read_word(cg, l->absent);
	as_mov(as, R9, R1);
	as_jump(as, have);
	as_bind(as, not_at);
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_SIGNAL, l->by_bp);
	as_load(as, 8, R3, R6, WALK_SP);
	as_alu_imm(as, BPF_ADD, R3, UNWIND_SIGNAL_BP);
	as_imm(as, R2, WALK_READ_BYTES);
	read_user(cg, WALK_READ, l->absent);
	as_load(as, 8, R1, R6, WALK_READ);
	as_store(as, 8, R6, WALK_BP, R1);
	as_load(as, 8, R1, R6, WALK_READ + UNWIND_SIGNAL_SP - UNWIND_SIGNAL_BP);
	as_store(as, 8, R6, WALK_SP, R1);
	as_load(as, 8, R1, R6, WALK_READ + UNWIND_SIGNAL_PC - UNWIND_SIGNAL_BP);
	as_store_imm(as, 8, R6, WALK_BACK, 0);
	as_jump(as, l->step);
	as_bind(as, have);
}

/*
 * From the CFA in R9 on:
 *	if (R9 <= sp) goto broken;
 *	sp = R9;  bp = the word that R8 says;  R1 = the return address below sp
 */
static void caller(struct cg *cg, const struct labels *l)
{
	struct as *as = cg->as;
	as_label found = as_new_label(as), from_bp = as_new_label(as);

	as_load(as, 8, R1, R6, WALK_SP);
	as_jump_if(as, BPF_JLE, R9, R1, l->broken);
	as_store(as, 8, R6, WALK_SP, R9);
	as_store_imm(as, 8, R6, WALK_BACK, 1);
	as_store_imm(as, 8, R6, WALK_BY_BP, 0);
	as_jump_if_imm(as, BPF_JEQ, R8, 0, found);
	as_load(as, 8, R3, R6, WALK_BP);
	as_jump_if_imm(as, BPF_JEQ, R8, UNWIND_BP_AT_BP, from_bp);
	as_mov(as, R3, R9);
	as_alu_imm(as, BPF_LSH, R8, 3);
	as_alu(as, BPF_SUB, R3, R8);
	as_bind(as, from_bp);
	read_word(cg, l->absent);
	as_store(as, 8, R6, WALK_BP, R1);
	as_bind(as, found);
	as_mov(as, R3, R9);
	as_alu_imm(as, BPF_SUB, R3, 8);
	read_word(cg, l->absent);
	as_jump(as, l->step);
}

/* probe_read_kernel(&walk->read, bytes, R3), l->pointer when it fails */
static void read_kernel(struct cg *cg, int bytes, const struct labels *l)
{
	cg_addr(cg, R1, (struct place){ R6, WALK_READ });
	as_imm(cg->as, R2, bytes);
	as_call(cg->as, BPF_FUNC_probe_read_kernel);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, l->pointer);
}

/*
 * A return probe has put the kernel's address in place of its function's return address,
 * and the kernel keeps that in a list:
 *
 *	for (c = current->utask->return_instances; c; c = c->next)
 *		if (c->stack == sp - 8) { n--; R1 = c->orig_ret_vaddr; goto step; }
 */
static void through_probe(struct cg *cg, const struct labels *l)
{
	int32_t utask, list, stack, address, next;
	struct as *as = cg->as;
	as_label found = as_new_label(as);

	as_bind(as, l->by_bp);
	if (!cg_member_offset(cg, "task_struct", "utask", &utask) ||
	    !cg_member_offset(cg, "uprobe_task", "return_instances", &list) ||
	    !cg_member_offset(cg, "return_instance", "stack", &stack) ||
	    !cg_member_offset(cg, "return_instance", "orig_ret_vaddr", &address) ||
	    !cg_member_offset(cg, "return_instance", "next", &next) ||
	    stack > WALK_READ_BYTES - 8 || address > WALK_READ_BYTES - 8 ||
	    next > WALK_READ_BYTES - 8)
		return;
	as_load(as, 8, R9, R6, WALK_SP);
	as_load(as, 8, R1, R6, WALK_BACK);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, l->pointer);
	as_load(as, 8, R1, R6, WALK_PROBED);
	as_jump_if(as, BPF_JEQ, R1, R9, l->pointer);
	as_call(as, BPF_FUNC_get_current_task);
	as_mov(as, R3, R0);
	as_alu_imm(as, BPF_ADD, R3, utask);
	read_kernel(cg, 8, l);
	as_load(as, 8, R3, R6, WALK_READ);
	as_jump_if_imm(as, BPF_JEQ, R3, 0, l->pointer);
	as_alu_imm(as, BPF_ADD, R3, list);
	read_kernel(cg, 8, l);
	as_load(as, 8, R3, R6, WALK_READ);
	as_mov(as, R8, R9);
	as_alu_imm(as, BPF_SUB, R8, 8);
	for (int i = 0; i < PROBES_OPEN_MOST; i++) {
		as_jump_if_imm(as, BPF_JEQ, R3, 0, l->pointer);
		read_kernel(cg, WALK_READ_BYTES, l);
		as_load(as, 8, R1, R6, WALK_READ + stack);
		as_jump_if(as, BPF_JEQ, R1, R8, found);
		as_load(as, 8, R3, R6, WALK_READ + next);
	}
	as_jump(as, l->pointer);
	as_bind(as, found);
	as_store(as, 8, R6, WALK_PROBED, R9);
	as_load(as, 8, R1, R6, WALK_N);
	as_alu_imm(as, BPF_SUB, R1, 1);
	as_store(as, 8, R6, WALK_N, R1);
	as_load(as, 8, R1, R6, WALK_READ + address);
	as_jump(as, l->step);
}

/*
 *	if (bp < sp) goto bp || !by_bp ? no_pointer : whole;
 *	read { bp', R1 } at bp;  sp = bp + 16;  bp = bp';
 */
static void by_frame_pointer(struct cg *cg, const struct labels *l)
{
	struct as *as = cg->as;
	as_label above = as_new_label(as);

	as_bind(as, l->pointer);
	as_load(as, 8, R9, R6, WALK_BP);
	as_load(as, 8, R1, R6, WALK_SP);
	as_jump_if(as, BPF_JGE, R9, R1, above);
	as_jump_if_imm(as, BPF_JNE, R9, 0, l->no_pointer);
	as_load(as, 8, R1, R6, WALK_BY_BP);
	as_jump_if_imm(as, BPF_JNE, R1, 0, l->whole);
	as_jump(as, l->no_pointer);
	as_bind(as, above);
	as_mov(as, R3, R9);
	read_word(cg, l->no_pointer);
	as_mov(as, R8, R1);
	as_mov(as, R3, R9);
	as_alu_imm(as, BPF_ADD, R3, 8);
	read_word(cg, l->no_pointer);
	as_alu_imm(as, BPF_ADD, R9, 16);
	as_store(as, 8, R6, WALK_SP, R9);
	as_store(as, 8, R6, WALK_BP, R8);
	as_store_imm(as, 8, R6, WALK_BACK, 1);
	as_store_imm(as, 8, R6, WALK_BY_BP, 1);
}

/* The function: R2 = its context. Returns 0: go on, 1: stop. */
void cg_unwind_function(struct cg *cg)
{
	struct as *as = cg->as;
	struct labels l;

	if (cg->state->unwind_function < 0)
		return;
	for (size_t i = 0; i < sizeof(l) / sizeof(as_label); i++)
		((as_label *)&l)[i] = as_new_label(as);
	as_note(as, (struct loc){ 0 }, "a frame of the program's stack");
	as_bind(as, cg->state->unwind_function);
	find_range(cg, &l);
	find_found(cg, &l);
	find_piece(cg, &l);
	find_rule(cg, &l);
	apply_rule(cg, &l);
	caller(cg, &l);
	through_probe(cg, &l);
	by_frame_pointer(cg, &l);
	as_bind(as, l.step);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, l.whole);
	as_store(as, 8, R6, WALK_PC, R1);
	as_alu_imm(as, BPF_RSH, R1, ADDRESS_BITS);
	as_jump_if_imm(as, BPF_JNE, R1, 0, l.broken);
	as_imm(as, R0, 0);
	as_exit(as);
	stop_with(cg, &l, l.whole, STACK_WHOLE);
	stop_with(cg, &l, l.absent, STACK_CUT_ABSENT);
	stop_with(cg, &l, l.broken, STACK_CUT_BROKEN);
	stop_with(cg, &l, l.no_pointer, STACK_CUT_POINTER);
	as_bind(as, l.stop);
	as_imm(as, R0, 1);
	as_exit(as);
}

/* context->process = lookup(unwind_processes, pid), or to none */
static void find_process(struct cg *cg, int context, as_label none)
{
	int key = cg_frame(cg, 8);

	cg_common(cg, COMMON_PID);
	as_store(cg->as, 8, R10, key, R0);
	cg_find(cg, cg->image->unwind_processes, (struct place){ R10, key }, none);
	as_store(cg->as, 8, R10, context + CONTEXT_PROCESS, R0);
	cg_frame_free(cg, 8);
}

void cg_unwind(struct cg *cg, struct place to, as_label none)
{
	static const struct { int from, to; } regs[] = {
		{ REGS_PC, WALK_PC }, { REGS_SP, WALK_SP }, { REGS_BP, WALK_BP },
	};
	struct as *as = cg->as;
	struct mark m = cg_mark(cg);
	struct place walk = cg_scratch(cg, WALK_BYTES);
	int context = cg_frame(cg, CONTEXT_BYTES);

	if (cg->state->unwind_function < 0)
		cg->state->unwind_function = as_new_label(as);
	find_process(cg, context, none);
	as_call(as, BPF_FUNC_get_current_task_btf);
	as_mov(as, R1, R0);
	as_call(as, BPF_FUNC_task_pt_regs);
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		as_load(as, 8, R1, R0, regs[i].from);
		as_store(as, 8, walk.reg, walk.off + regs[i].to, R1);
	}
	cg_zero(cg, (struct place){ walk.reg, walk.off + WALK_BACK }, WALK_READ - WALK_BACK);
	as_store_imm(as, 8, walk.reg, walk.off + WALK_CUT, STACK_CUT_DEEP);
	cg_addr(cg, R1, walk);
	as_store(as, 8, R10, context + CONTEXT_WALK, R1);
	cg_addr(cg, R1, (struct place){ to.reg, to.off + (int)offsetof(struct img_stack, frames) });
	as_store(as, 8, R10, context + CONTEXT_FRAMES, R1);
	as_imm(as, R1, STACK_FRAMES + 1 + PROBES_OPEN_MOST);
	as_callback(as, R2, cg->state->unwind_function);
	cg_addr(cg, R3, (struct place){ R10, context });
	as_imm(as, R4, 0);
	as_call(as, BPF_FUNC_loop);
	as_load(as, 8, R0, walk.reg, walk.off + WALK_N);
	as_store(as, 4, to.reg, to.off + (int)offsetof(struct img_stack, n), R0);
	as_load(as, 8, R1, walk.reg, walk.off + WALK_CUT);
	as_store(as, 2, to.reg, to.off + (int)offsetof(struct img_stack, cut), R1);
	cg_release(cg, m);
}
