/*
 * Functions that are traced: registers, sessions, frames.
 *
 * A frame is a number that is the same at both ends of one call and differs between the
 * calls that are open on a thread: where the return address is on the stack; with fentry
 * where the trampoline keeps the arguments; with a session what the entry wrote into the
 * call's cookie.
 */
#include "bpf/cg_field.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_state.h"

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
}

void cg_find_cookie(struct cg *cg)
{
	session_cookie(cg);
	as_mov(cg->as, R8, R0);
}
