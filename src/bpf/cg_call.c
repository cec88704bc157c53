/*
 * Calls of functions: registers, frames, and the begins of a thread's open calls.
 *
 * A frame is a number that is the same at both ends of one call and differs between the
 * calls that are open on a thread: where the return address is on the stack; with fentry
 * where the trampoline keeps the arguments; with a session what the entry wrote into the
 * call's cookie.
 *
 * STORE_CALLS, in the thread's storage:
 *
 *	u64 depth			calls open
 *	u64 kept			of them here: at most period->calls_kept, the last
 *	struct {
 *		u64 frame;
 *		the record (plan/layout.c)
 *	} calls[calls_kept]		call number d at d % calls_kept
 *
 * A return looks from the last one back for its frame and drops what is above it.
 */
#include "bpf/cg_state.h"

#define GET_CREATE 1			/* BPF_LOCAL_STORAGE_GET_F_CREATE */

#define DEPTH_OFF 0
#define KEPT_OFF 8
#define CALLS_OFF 16

/* One and the same stack of the kernel, and a guess for those of programs. */
#define STACK_SHIFT 14

/* ---- struct pt_regs at a function's ends ---- */

static const struct func_regs {
	int arg[6], ret, sp;
	int popped;			/* sp at the return above that at the entry */
} func_regs = {
#if defined(__x86_64__)
	.arg = { 112, 104, 96, 88, 72, 64 },		/* di si dx cx r8 r9 */
	.ret = 80, .sp = 152, .popped = 8,
#elif defined(__aarch64__)
	.arg = { 0, 8, 16, 24, 32, 40 }, .ret = 0, .sp = 248,
#else
#error "the registers of a function's call on this machine are not known"
#endif
};

void cg_func_arg(struct cg *cg, const struct cat_field *f)
{
	if (f->index > 5) {
		cg_fail(cg, "of a function the first 6 parameters are known");
		return;
	}
	as_load(cg->as, 8, R0, R6, cg->event->attach == ATTACH_FENTRY ? 8 * f->index
								     : func_regs.arg[f->index]);
	cg_extend(cg, f->type.size, f->type.is_signed);
}

void cg_func_ret(struct cg *cg, const struct cat_field *f)
{
	/* behind the arguments, as many as there are */
	as_load(cg->as, 8, R0, R6, cg->event->attach == ATTACH_FENTRY ? 8 * f->index
								     : func_regs.ret);
	cg_extend(cg, f->type.size, f->type.is_signed);
}

/* ---- what a static probe passes ---- */

static const int operand_regs[] = {
#if defined(__x86_64__)
	80, 88, 96, 40, 152, 32, 104, 112,	/* ax cx dx bx sp bp si di */
	72, 64, 56, 48, 24, 16, 8, 0,		/* r8 .. r15 */
	[CAT_REGISTER_IP] = 128,
#else
	0,
#endif
};

static void add_operand(struct cg *cg, int reg, int times)
{
	as_load(cg->as, 8, R1, R6, operand_regs[reg]);
	if (times > 1)
		as_alu_imm(cg->as, BPF_MUL, R1, times);
	as_alu(cg->as, BPF_ADD, R3, R1);
}

void cg_operand(struct cg *cg, const struct cat_field *f)
{
	const struct cat_operand *o = f->operand;

	if (o->kind == OPERAND_NUMBER) {
		as_imm(cg->as, R0, o->number);
	} else if (o->kind == OPERAND_REGISTER) {
		as_load(cg->as, 8, R0, R6, operand_regs[o->base]);
	} else {
		as_imm(cg->as, R3, o->number);
		if (o->base >= 0)
			add_operand(cg, o->base, 1);
		if (o->index >= 0)
			add_operand(cg, o->index, o->scale);
		cg_probe(cg, f->type.size, SPACE_USER);
	}
	cg_extend(cg, f->type.size, f->type.is_signed);
}

void cg_func_number(struct cg *cg)
{
	as_mov(cg->as, R1, R6);
	as_call(cg->as, BPF_FUNC_get_attach_cookie);
}

/* ---- sessions ---- */

/* R0 = the address of the call's 8 bytes. Later kernels want the context. */
static void session_cookie(struct cg *cg)
{
	as_mov(cg->as, R1, R6);
	as_kfunc(cg->as, KFUNC_SESSION_COOKIE);
}

void cg_session_head(struct cg *cg, as_label at_return)
{
	as_mov(cg->as, R1, R6);
	as_kfunc(cg->as, KFUNC_SESSION_IS_RETURN);
	as_alu_imm(cg->as, BPF_AND, R0, 1);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, at_return);
}

/* The entry says whether it wants the return: 0 yes, 1 no. */
void cg_session_tail(struct cg *cg)
{
	as_load(cg->as, 8, R0, R10, cg->state->begun_off);
	as_alu_imm(cg->as, BPF_AND, R0, 1);
	as_alu_imm(cg->as, BPF_XOR, R0, 1);
	as_exit(cg->as);
}

void cg_session_begun(struct cg *cg)
{
	if (cg->state->begun_off)
		as_store_imm(cg->as, 8, R10, cg->state->begun_off, 1);
}

/* ---- frames ---- */

static void frame_of_session(struct cg *cg)
{
	session_cookie(cg);
	if (cg->state->at_return) {
		as_load(cg->as, 8, R0, R0, 0);
		return;
	}
	as_load(cg->as, 8, R1, R6, func_regs.sp);
	as_store(cg->as, 8, R0, 0, R1);
	as_mov(cg->as, R0, R1);
	cg_session_begun(cg);
}

void cg_frame_number(struct cg *cg, const struct px *e, as_label none)
{
	(void)e, (void)none;
	if (attach_is_session(cg->event->attach)) {
		frame_of_session(cg);
	} else if (cg->event->attach == ATTACH_FENTRY) {
		as_mov(cg->as, R0, R6);
		cg_scalar(cg);
	} else {
		as_load(cg->as, 8, R0, R6, func_regs.sp);
		if (func_regs.popped && cg->event->cat->kind == CAT_FUNC_RETURN)
			as_alu_imm(cg->as, BPF_SUB, R0, func_regs.popped);
	}
}

/* ---- the cookie as store ---- */

void cg_begin_cookie(struct cg *cg)
{
	int now = cg_frame(cg, 8);

	cg_now(cg);
	as_store(cg->as, 8, R10, now, R0);
	session_cookie(cg);
	as_load(cg->as, 8, R1, R10, now);
	as_store(cg->as, 8, R0, 0, R1);
	cg_session_begun(cg);
	cg_frame_free(cg, 8);
}

void cg_find_cookie(struct cg *cg)
{
	session_cookie(cg);
	as_mov(cg->as, R8, R0);
}

/* ---- the thread's calls ---- */

uint32_t cg_calls_bytes(const struct p_period *p)
{
	return CALLS_OFF + (uint32_t)p->calls_kept * (8 + p->record_bytes);
}

/* R8 = the thread's calls; R0 = 0: none */
static void calls_get(struct cg *cg, const struct p_action *act, int flags, as_label none)
{
	cg_word(cg, act->task, none);
	cg_storage(cg, cg->state->period_map[act->period->id], R0, flags);
}

/* R2 = the address of call number R1, which is lost */
static void call_at(struct cg *cg, const struct p_period *p)
{
	as_alu_imm(cg->as, BPF_AND, R1, p->calls_kept - 1);
	as_alu_imm(cg->as, BPF_MUL, R1, (int32_t)(8 + p->record_bytes));
	as_mov(cg->as, R2, R8);
	as_alu(cg->as, BPF_ADD, R2, R1);
}

/*
 * A call of this stack whose frame is below the new one has been left in some other
 * way (longjmp):
 *
 *	while (kept && last->frame < frame && same_stack(last->frame, frame))
 *		depth--, kept--, abandoned++;
 *
 * One with the same frame, too, unless it is another function's that ended by jumping to
 * this one: then both return there.
 */
static void drop_left(struct cg *cg, const struct p_period *p, int frame, int left)
{
	as_label again = as_new_label(cg->as), end = as_new_label(cg->as);

	as_store_imm(cg->as, 8, R10, left, 0);
	as_bind(cg->as, again);
	as_load(cg->as, 8, R3, R8, KEPT_OFF);
	as_jump_if_imm(cg->as, BPF_JEQ, R3, 0, end);
	as_load(cg->as, 8, R4, R8, DEPTH_OFF);
	as_mov(cg->as, R1, R4);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	call_at(cg, p);
	as_load(cg->as, 8, R1, R2, CALLS_OFF);
	as_load(cg->as, 8, R5, R10, frame);
	as_jump_if(cg->as, p->many_functions ? BPF_JGE : BPF_JGT, R1, R5, end);
	as_alu(cg->as, BPF_XOR, R1, R5);
	as_alu_imm(cg->as, BPF_RSH, R1, STACK_SHIFT);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, end);
	as_alu_imm(cg->as, BPF_SUB, R3, 1);
	as_store(cg->as, 8, R8, KEPT_OFF, R3);
	as_alu_imm(cg->as, BPF_SUB, R4, 1);
	as_store(cg->as, 8, R8, DEPTH_OFF, R4);
	as_load(cg->as, 8, R1, R10, left);
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R10, left, R1);
	as_jump_if_imm(cg->as, BPF_JLT, R1, p->calls_kept, again);
	as_bind(cg->as, end);
}

/*
 *	R8 = storage; drop_left();
 *	call = &calls[depth++ % calls_kept];
 *	if (kept < calls_kept) kept++; else let_go++;
 *	call->frame = frame; R8 = &call->record
 */
void cg_begin_calls(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	as_label room = as_new_label(cg->as), ready = as_new_label(cg->as);
	int frame = cg_frame(cg, 8), left = cg_frame(cg, 8);

	as_note(cg->as, act->loc, "begin: the thread's open calls");
	cg_frame_number(cg, NULL, done);
	as_store(cg->as, 8, R10, frame, R0);
	calls_get(cg, act, GET_CREATE, done);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, cg_count_then(cg, p->c_dropped, done));
	as_mov(cg->as, R8, R0);
	drop_left(cg, p, frame, left);
	cg_count_number(cg, p->c_abandoned, left);
	as_load(cg->as, 8, R3, R8, KEPT_OFF);
	as_jump_if_imm(cg->as, BPF_JLT, R3, p->calls_kept, room);
	cg_count(cg, p->c_let_go);
	as_jump(cg->as, ready);
	as_bind(cg->as, room);
	as_alu_imm(cg->as, BPF_ADD, R3, 1);
	as_store(cg->as, 8, R8, KEPT_OFF, R3);
	as_bind(cg->as, ready);
	as_load(cg->as, 8, R1, R8, DEPTH_OFF);
	as_mov(cg->as, R3, R1);
	as_alu_imm(cg->as, BPF_ADD, R3, 1);
	as_store(cg->as, 8, R8, DEPTH_OFF, R3);
	call_at(cg, p);
	as_load(cg->as, 8, R1, R10, frame);
	as_store(cg->as, 8, R2, CALLS_OFF, R1);
	as_mov(cg->as, R8, R2);
	as_alu_imm(cg->as, BPF_ADD, R8, CALLS_OFF + 8);
	if (p->tree)
		cg_tree_begin(cg, p, (struct place){ R8, 0 }, left);
	cg_frame_free(cg, 16);
}

/*
 *	for (n = 1; n <= kept; n++)
 *		if ((call = &calls[(depth - n) % calls_kept])->frame == frame) goto found;
 *	if (!kept && depth) depth--;		its begin found no room
 *	else unmatched++;
 *	goto done;
 * found:
 *	left = n - 1; R8 = &call->record
 *
 * It is dropped when its rows are made: what interrupts this program stays above it.
 */
void cg_find_calls(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	struct cg_state *s = cg->state;
	as_label unmatched = cg_count_then(cg, p->c_unmatched, done);
	as_label again = as_new_label(cg->as), found = as_new_label(cg->as);
	as_label missing = as_new_label(cg->as);
	int frame = cg_frame(cg, 8), left = cg_frame(cg, 8);

	cg_frame_number(cg, NULL, done);
	as_store(cg->as, 8, R10, frame, R0);
	calls_get(cg, act, 0, done);
	/* a thread that never began one: it is not meant, or was in it before the start */
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, done);
	as_mov(cg->as, R8, R0);
	as_load(cg->as, 8, R5, R10, frame);
	as_load(cg->as, 8, R4, R8, DEPTH_OFF);
	as_imm(cg->as, R3, 1);
	as_bind(cg->as, again);
	as_load(cg->as, 8, R1, R8, KEPT_OFF);
	as_jump_if(cg->as, BPF_JGT, R3, R1, missing);
	as_mov(cg->as, R1, R4);
	as_alu(cg->as, BPF_SUB, R1, R3);
	call_at(cg, p);
	as_load(cg->as, 8, R1, R2, CALLS_OFF);
	as_jump_if(cg->as, BPF_JEQ, R1, R5, found);
	as_alu_imm(cg->as, BPF_ADD, R3, 1);
	as_jump_if_imm(cg->as, BPF_JLE, R3, p->calls_kept, again);
	as_bind(cg->as, missing);
	as_load(cg->as, 8, R1, R8, KEPT_OFF);
	as_jump_if_imm(cg->as, BPF_JNE, R1, 0, unmatched);
	as_jump_if_imm(cg->as, BPF_JEQ, R4, 0, unmatched);
	as_alu_imm(cg->as, BPF_SUB, R4, 1);
	as_store(cg->as, 8, R8, DEPTH_OFF, R4);
	if (p->tree)
		cg_tree_lost(cg, p);
	as_jump(cg->as, done);
	as_bind(cg->as, found);
	s->calls_off = cg_frame(cg, 8);
	s->depth_off = cg_frame(cg, 8);
	s->kept_off = cg_frame(cg, 8);
	as_store(cg->as, 8, R10, s->calls_off, R8);
	as_alu(cg->as, BPF_SUB, R4, R3);
	as_store(cg->as, 8, R10, s->depth_off, R4);
	as_load(cg->as, 8, R1, R8, KEPT_OFF);
	as_alu(cg->as, BPF_SUB, R1, R3);
	as_store(cg->as, 8, R10, s->kept_off, R1);
	as_alu_imm(cg->as, BPF_SUB, R3, 1);
	as_store(cg->as, 8, R10, left, R3);
	as_mov(cg->as, R8, R2);
	as_alu_imm(cg->as, BPF_ADD, R8, CALLS_OFF + 8);
	cg_count_number(cg, p->c_abandoned, left);
}

/* What the thread has open returns no more. */
void cg_exit_calls(struct cg *cg, const struct p_action *act, as_label done)
{
	int left = cg_frame(cg, 8);

	calls_get(cg, act, 0, done);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, done);
	as_load(cg->as, 8, R1, R0, KEPT_OFF);
	as_store(cg->as, 8, R10, left, R1);
	cg_count_number(cg, act->period->c_abandoned, left);
	cg_frame_free(cg, 8);
}

void cg_take_calls(struct cg *cg)
{
	const struct cg_state *s = cg->state;

	as_load(cg->as, 8, R8, R10, s->calls_off);
	as_load(cg->as, 8, R1, R10, s->depth_off);
	as_store(cg->as, 8, R8, DEPTH_OFF, R1);
	as_load(cg->as, 8, R1, R10, s->kept_off);
	as_store(cg->as, 8, R8, KEPT_OFF, R1);
}
