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
#include "bpf/cg_map.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_stack.h"
#include "bpf/cg_state.h"
#include "bpf/cg_unwind_impl.h"

#include <stddef.h>

/* struct pt_regs */
enum { REGS_BP = 32, REGS_PC = 128, REGS_SP = 152 };
#define ADDRESS_BITS 47			/* of a program's own half */
#define PAGE_BYTES 4096
#define PROBES_OPEN_MOST 16		/* calls with return probes that are looked through */

static void stop_with(struct cg *cg, const struct walk_labels *l, as_label at, enum stack_cut cut)
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

/* R2 = kind, R3 = offset, R8 = words to bp; R9 = the CFA, or another way is taken. */
static void apply_rule(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;
	as_label have = as_new_label(as), not_sp = as_new_label(as), not_bp = as_new_label(as);
	as_label not_plt = as_new_label(as), not_at = as_new_label(as);

	as_mov(as, R2, R1);
	as_alu_imm(as, BPF_AND, R2, (1 << UNWIND_KIND_BITS) - 1);
	as_mov(as, R8, R1);
	as_alu_imm(as, BPF_RSH, R8, UNWIND_BP_SHIFT);
	as_alu_imm(as, BPF_AND, R8, (1 << UNWIND_BP_BITS) - 1);
	as_mov(as, R3, R1);
	as_alu_imm(as, BPF_LSH, R3, 32);		/* its place is above it */
	as_alu_imm(as, BPF_RSH, R3, 32 + UNWIND_OFFSET_SHIFT);
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
	as_jump_if_imm(as, BPF_JNE, R2, UNWIND_SIGNAL, l->no_rule);
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
static void caller(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;
	as_label found = as_new_label(as), from_bp = as_new_label(as);

	as_bind(as, l->entered);
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

/*
 * Also of code in a range that has no rule: another library can have taken the range's place.
 *
 *	R1 = current->mm;
 *	if (R1 && process->stack != R1->start_stack && process->space != R1) goto unread;
 *	R1 = its word of what it mapped;
 *	if (R1 >> 32 == pid && R1 != process->mapped) goto unread;
 */
static void code_in_no_range(struct cg *cg, const struct walk_labels *l)
{
	int32_t mm, stack;
	struct as *as = cg->as;
	as_label same = as_new_label(as);

	as_bind(as, l->no_rule);
	as_load(as, 8, R7, R10, UNWIND_PROCESS_AT);
	as_bind(as, l->no_range);
	if (!cg_member_offset(cg, "task_struct", "mm", &mm) ||
	    !cg_member_offset(cg, "mm_struct", "start_stack", &stack))
		return;
	as_call(as, BPF_FUNC_get_current_task_btf);
	as_load(as, 8, R1, R0, mm);
	as_jump_if_imm(as, BPF_JEQ, R1, 0, l->by_bp);
	as_load(as, 8, R2, R1, stack);
	as_load(as, 8, R3, R7, offsetof(struct unwind_process, stack));
	as_jump_if(as, BPF_JEQ, R3, R2, same);
	as_load(as, 8, R3, R7, offsetof(struct unwind_process, space));
	as_jump_if(as, BPF_JNE, R3, R1, l->unread);
	as_bind(as, same);
	if (cg->image->mapped < 0)
		return;
	cg_mapped(cg, (struct place){ R6, WALK_READ });
	as_mov(as, R2, R1);
	as_alu_imm(as, BPF_RSH, R2, 32);
	as_jump_if(as, BPF_JNE, R2, R0, l->by_bp);
	as_load(as, 8, R2, R7, offsetof(struct unwind_process, mapped));
	as_jump_if(as, BPF_JNE, R1, R2, l->unread);
}

/* probe_read_kernel(&walk->read, bytes, R3), l->pointer when it fails */
static void read_kernel(struct cg *cg, int bytes, const struct walk_labels *l)
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
static void through_probe(struct cg *cg, const struct walk_labels *l)
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

enum { PUSH_BP = 0x55, RET = 0xc3, MOV_SP_BP = 0xe58948, MOV_SP_BP_OTHER = 0xec8b48 };
#define ENDBR64 ((int32_t)0xfa1e0ff3)

/*
 * What was interrupted may be where bp is not yet, or no more, its function's: the instruction tells.
 *
 *	if (!back) switch (the instruction at pc) {
 *	case endbr64: case push bp: case ret: R9 = sp + 8;  R8 = 0;  goto entered;
 *	case mov sp, bp: R9 = sp + 16;  R8 = 2 words to bp;  goto entered;
 *	}
 * R9 is sp + 8 and R8 is 0 already.
 */
static void interrupted(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;
	as_label no = as_new_label(as), moves = as_new_label(as);

	as_load(as, 8, R1, R6, WALK_BACK);
	as_jump_if_imm(as, BPF_JNE, R1, 0, no);
	as_load(as, 8, R3, R6, WALK_PC);
	as_imm(as, R2, 8);
	read_user(cg, WALK_READ, no);
	as_load(as, 4, R1, R6, WALK_READ);
	as_mov(as, R2, R1);
	as_alu_imm(as, BPF_AND, R2, 0xff);
	as_jump_if_imm(as, BPF_JEQ, R2, PUSH_BP, l->entered);
	as_jump_if_imm(as, BPF_JEQ, R2, RET, l->entered);
	as_mov(as, R2, R1);
	as_alu_imm(as, BPF_AND, R2, 0xffffff);
	as_jump_if_imm(as, BPF_JEQ, R2, MOV_SP_BP, moves);
	as_jump_if_imm(as, BPF_JEQ, R2, MOV_SP_BP_OTHER, moves);
	as_alu_imm(as, BPF_LSH, R1, 32);
	as_alu_imm(as, BPF_ARSH, R1, 32);
	as_jump_if_imm(as, BPF_JEQ, R1, ENDBR64, l->entered);
	as_jump(as, no);
	as_bind(as, moves);
	as_alu_imm(as, BPF_ADD, R9, 8);
	as_imm(as, R8, 2);
	as_jump(as, l->entered);
	as_bind(as, no);
}

/*
 * At a function's first instruction bp is still its caller's, and the return address at sp: without a
 * table the caller would be left out.
 *
 *	if (n == entry) { R9 = sp + 8;  R8 = 0;  goto entered; }
 *	if (bp < sp) goto bp || !by_bp ? no_pointer : whole;
 *	read { bp', R1 } at bp;  sp = bp + 16;  bp = bp';
 */
static void by_frame_pointer(struct cg *cg, const struct walk_labels *l)
{
	struct as *as = cg->as;
	as_label above = as_new_label(as);

	as_bind(as, l->pointer);
	as_load(as, 8, R9, R6, WALK_SP);
	as_alu_imm(as, BPF_ADD, R9, 8);
	as_imm(as, R8, 0);
	as_load(as, 8, R1, R6, WALK_N);
	as_load(as, 8, R2, R6, WALK_ENTRY);
	as_jump_if(as, BPF_JEQ, R1, R2, l->entered);
	interrupted(cg, l);
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
	struct walk_labels l;

	if (cg->state->unwind_function < 0)
		return;
	for (size_t i = 0; i < sizeof(l) / sizeof(as_label); i++)
		((as_label *)&l)[i] = as_new_label(as);
	as_note(as, (struct loc){ 0 }, "a frame of the program's stack");
	as_bind(as, cg->state->unwind_function);
	cg_unwind_rule(cg, &l);
	apply_rule(cg, &l);
	caller(cg, &l);
	code_in_no_range(cg, &l);
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
	stop_with(cg, &l, l.unread, STACK_CUT_UNREAD);
	as_bind(as, l.stop);
	as_imm(as, R0, 1);
	as_exit(as);
}

/* context->process = lookup(unwind_processes, pid), or to none */
static void find_process(struct cg *cg, int context, as_label none)
{
	int key = cg_frame(cg, PROCESS_ROOM);

	cg_process(cg, (struct place){ R10, key });
	as_store(cg->as, 8, R10, key, R0);
	cg_find(cg, cg->image->unwind_processes, (struct place){ R10, key }, none);
	as_store(cg->as, 8, R10, context + CONTEXT_PROCESS, R0);
	cg_frame_free(cg, 8);
}

/* Does the program run at the first instruction of a program's function? */
static bool is_at_entry(const struct cg *cg)
{
	const struct p_event *e = cg->event;

	return attach_is_user(e->attach) && e->cat->kind == CAT_FUNC_ENTER && !cg->state->at_return &&
	       e->functions.n && !e->functions.v[0].function->is_probe;
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
	if (is_at_entry(cg))
		as_store_imm(as, 8, walk.reg, walk.off + WALK_ENTRY, 1);
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
