/*
 * Fields of the event, by where they are (enum loc_kind); the number of a system call.
 */
#include "bpf/cg_field.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_state.h"

#include <errno.h>
#include <sys/syscall.h>

/* ---- where the machine keeps a system call: struct pt_regs ---- */

struct sys_regs {
	int nr, arg[6];
	bool has_i386;			/* numbers of 32-bit programs are told apart */
	int arg_i386[6];
	int ip, sample_period;		/* in struct bpf_perf_event_data */
};

static const struct sys_regs sys_regs = {
#if defined(__x86_64__)
	.nr = 120,					/* orig_ax */
	.arg = { 112, 104, 96, 56, 72, 64 },		/* di si dx r10 r8 r9 */
	.has_i386 = true, .arg_i386 = { 40, 88, 96, 104, 112, 32 },	/* bx cx dx si di bp */
	.ip = 128, .sample_period = 168,
#elif defined(__aarch64__)
	.nr = 280,					/* syscallno */
	.arg = { 272, 8, 16, 24, 32, 40 },		/* orig_x0 x1 .. x5 */
	.ip = 256, .sample_period = 272,
#else
#error "the registers of a system call on this machine are not known"
#endif
};

/* The perf form of raw_syscalls: id, then args[6] or ret. */
#define RAW_ID 8
#define RAW_ARG 16

/* A decoded event: valid bits, then the words (lang/record.h). */
#define RECORD_WORD(i) (8 + 8 * (i))
#define RECORD_SYSNR_WORD 0
#define RECORD_SYSARG_WORD 1
#define RECORD_SYSRET_WORD 7

/* R0 = the word of struct pt_regs at off: the event's first argument; the perf form of
 * sys_exit lacks it, so there it is the running task's (bpf_task_pt_regs, 5.15). */
static void load_regs(struct cg *cg, int off, int bytes)
{
	as_label null = as_new_label(cg->as);

	if (cg->event->attach == ATTACH_TP_PERF) {
		as_call(cg->as, BPF_FUNC_get_current_task_btf);
		as_mov(cg->as, R1, R0);
		as_call(cg->as, BPF_FUNC_task_pt_regs);
		as_mov(cg->as, R1, R0);
	} else {
		as_load(cg->as, 8, R1, R6, 0);
	}
	as_imm(cg->as, R0, 0);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, null);
	as_load(cg->as, bytes, R0, R1, off);
	as_bind(cg->as, null);
}

static void load_record(struct cg *cg, int word, as_label none)
{
	as_load(cg->as, 8, R0, R6, 0);
	as_imm(cg->as, R1, (int64_t)(1ull << word));
	as_alu(cg->as, BPF_AND, R0, R1);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
	as_load(cg->as, 8, R0, R6, RECORD_WORD(word));
}

/* R0 = its number, -1 when a decoded event does not tell it */
static void record_number(struct cg *cg)
{
	as_label none = as_new_label(cg->as), end = as_new_label(cg->as);

	load_record(cg, RECORD_SYSNR_WORD, none);
	as_jump(cg->as, end);
	as_bind(cg->as, none);
	as_imm(cg->as, R0, -1);
	as_bind(cg->as, end);
}

#define TS_COMPAT 2			/* thread_info.status, during a call of 32 bits */
#define I386_EXECVE 11
#define I386_EXECVEAT 358
#define I386_RT_SIGRETURN 173

/* R2 = what of the thread's status says that the call is of 32 bits; false: nobody knows. */
static bool load_compat(struct cg *cg)
{
	int32_t status;

	if (!sys_regs.has_i386 || !cg_member_offset(cg, "task_struct", "thread_info.status", &status))
		return false;
	as_call(cg->as, BPF_FUNC_get_current_task_btf);
	as_load(cg->as, 4, R2, R0, status);
	as_alu_imm(cg->as, BPF_AND, R2, TS_COMPAT);
	return true;
}

/* Numbers of 32-bit calls that are not CALL_I386 more: of execve, which is one call in both
 * ABIs, because at its end the ABI is that of the new program, and of what has lost it. */
static const struct { int nr, number; } moved_i386[] = {
	{ I386_EXECVE, SYS_execve }, { I386_EXECVEAT, SYS_execveat },
	{ -1, CALL_I386 + I386_RT_SIGRETURN },
};
#define MOVED_I386 (sizeof(moved_i386) / sizeof(moved_i386[0]))

static bool is_meant(const struct p_calls *calls, int nr)
{
	return !calls || calls->bits[nr / 64] >> (nr % 64) & 1;
}

/* Can a call that has this in its register, in either ABI, be one that is meant? */
static bool can_be_meant(const struct p_calls *calls, int nr)
{
	for (size_t i = 0; i < MOVED_I386; i++)
		if (nr == moved_i386[i].nr && is_meant(calls, moved_i386[i].number))
			return true;
	return nr < 0 ? is_meant(calls, SYS_rt_sigreturn)
		      : is_meant(calls, nr) || is_meant(calls, CALL_I386 + nr);
}

/* The register of the event, without looking at its ABI. The kernel takes its lower half for the
 * number: what a program left in the upper one must not hide the call. */
static void number_as_it_stands(struct cg *cg)
{
	if (cg->event->attach == ATTACH_TP_PERF)
		as_load(cg->as, 8, R0, R6, RAW_ID);
	else if (cg->event->cat->kind == CAT_SYSCALL_ENTER)
		as_load(cg->as, 8, R0, R6, 8);
	else
		load_regs(cg, sys_regs.nr, 4);
	if (cg->event->cat->kind == CAT_SYSCALL_EXIT)
		cg_extend(cg, 4, true);
}

/* What the register can still hold. */
struct left {
	int n;				/* -1: anything */
	int nr[CALLS_COMPARED];
};

static bool can_come(const struct left *l, int nr)
{
	bool can = l->n < 0;

	for (int i = 0; i < l->n; i++)
		can |= l->nr[i] == nr;
	return can;
}

static struct left meant_numbers(const struct cg *cg)
{
	struct left l = { 0 }, anything = { .n = -1 };
	struct p_calls all = { 0 };

	for (int i = 0; i < cg->event->actions.n; i++) {
		if (!cg->event->actions.v[i].calls)
			return anything;
		for (int k = 0; k < SYSCALL_MOST / 64; k++)
			all.bits[k] |= cg->event->actions.v[i].calls->bits[k];
	}
	for (int nr = -1; nr < CALL_I386; nr++) {
		if (!can_be_meant(&all, nr))
			continue;
		if (l.n == CALLS_COMPARED)
			return anything;
		l.nr[l.n++] = nr;
	}
	return l;
}

/* Most events are of calls that nobody means: of those the ABI is not asked. To nobody, where
 * the calls that are meant are few. */
static struct left leave_others(struct cg *cg, as_label nobody)
{
	struct left l = meant_numbers(cg);
	as_label go = as_new_label(cg->as);

	if (l.n >= 0) {
		number_as_it_stands(cg);
		for (int i = 0; i < l.n; i++)
			as_jump_if_imm(cg->as, BPF_JEQ, R0, l.nr[i], go);
		as_jump(cg->as, nobody);
	}
	as_bind(cg->as, go);
	return l;
}

/* R0 = the number of the 32-bit call R0 */
static void number_i386(struct cg *cg, const struct left *left, as_label told, as_label nobody)
{
	for (size_t i = 0; i < MOVED_I386; i++) {
		as_label next = as_new_label(cg->as);

		if (!can_come(left, moved_i386[i].nr))
			continue;
		as_jump_if_imm(cg->as, BPF_JNE, R0, moved_i386[i].nr, next);
		as_imm(cg->as, R0, moved_i386[i].number);
		as_jump(cg->as, told);
		as_bind(cg->as, next);
	}
	if (left->n < 0)
		as_jump_if_imm(cg->as, BPF_JGE, R0, CALL_I386, nobody);
	as_alu_imm(cg->as, BPF_ADD, R0, CALL_I386);
	as_jump(cg->as, told);
}

/* R0 = what it returned */
static void load_return(struct cg *cg, as_label none)
{
	if (cg->event->attach == ATTACH_RECORD)
		load_record(cg, RECORD_SYSRET_WORD, none);
	else
		as_load(cg->as, 8, R0, R6,
			cg->event->attach == ATTACH_TP_PERF ? RAW_ARG : 8);
}

/*
 * rt_sigreturn has overwritten its number with -1 when it ends; but a program may enter with it, and
 * is told that there is no such call. A tracer that skips a call puts it there, too: that cannot be told
 * from a rt_sigreturn that leads right behind a call, as SIGCHLD's in a shell does. A number that no
 * call has in its ABI is SYSCALL_MOST.
 */
static void number_of_event(struct cg *cg)
{
	as_label told = as_new_label(cg->as), native = as_new_label(cg->as);
	as_label nobody = as_new_label(cg->as);
	struct left left = leave_others(cg, nobody);

	if (load_compat(cg)) {
		number_as_it_stands(cg);
		as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, native);
		number_i386(cg, &left, told, nobody);
		as_bind(cg->as, native);
	} else {
		number_as_it_stands(cg);
	}
	if (!can_come(&left, -1))
		as_jump(cg->as, told);
	as_jump_if_imm(cg->as, BPF_JLT, R0, CALL_I386, told);
	if (cg->event->cat->kind == CAT_SYSCALL_EXIT) {
		as_jump_if_imm(cg->as, BPF_JNE, R0, -1, nobody);
		load_return(cg, nobody);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, -ENOSYS, nobody);
		as_imm(cg->as, R0, SYS_rt_sigreturn);
		as_jump(cg->as, told);
	}
	as_bind(cg->as, nobody);
	as_imm(cg->as, R0, SYSCALL_MOST);
	as_bind(cg->as, told);
}

void cg_syscall_number(struct cg *cg)
{
	cg->state->wants |= NEED_NR;
	if (cg->state->nr_in_r9)
		as_mov(cg->as, R0, R9);
	else if (cg->state->nr_off)
		as_load(cg->as, 8, R0, R10, cg->state->nr_off);
	else if (cg->event->attach == ATTACH_RECORD)
		record_number(cg);
	else
		number_of_event(cg);
}

/* The calls that return twice: in the child with 0, which began nothing. */
static const int forks[] = {
#ifdef SYS_fork
	SYS_fork,
#endif
#ifdef SYS_vfork
	SYS_vfork,
#endif
	SYS_clone, SYS_clone3,
#ifdef __x86_64__
	CALL_I386 + 2, CALL_I386 + 120, CALL_I386 + 190, CALL_I386 + 435,	/* the same */
#endif
};

void cg_syscall_child(struct cg *cg, const struct p_calls *calls, as_label skip)
{
	as_label parent = as_new_label(cg->as);
	bool any = false;

	for (size_t i = 0; i < sizeof(forks) / sizeof(forks[0]); i++)
		any |= is_meant(calls, forks[i]);
	if (!any)
		return;
	load_return(cg, parent);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, parent);
	cg_syscall_number(cg);
	for (size_t i = 0; i < sizeof(forks) / sizeof(forks[0]); i++)
		if (is_meant(calls, forks[i]))
			as_jump_if_imm(cg->as, BPF_JEQ, R0, forks[i], skip);
	as_bind(cg->as, parent);
}

void cg_syscall_returned(struct cg *cg, as_label none)
{
	cg_syscall_number(cg);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, SYS_rt_sigreturn, none);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, CALL_I386 + I386_RT_SIGRETURN, none);
}

/* ---- fields ---- */

static void field_arg(struct cg *cg, const struct cat_field *f, as_label none)
{
	(void)none;
	if (f->opaque) {
		as_mov(cg->as, R3, R6);
		as_alu_imm(cg->as, BPF_ADD, R3, 8 * f->index);
		cg_probe(cg, 8, SPACE_KERNEL);
	} else {
		as_load(cg->as, 8, R0, R6, 8 * f->index);
	}
	if (f->type.is_signed)
		cg_extend(cg, f->type.size, true);
}

static void field_format(struct cg *cg, const struct cat_field *f, as_label none)
{
	int bytes = f->size == 1 || f->size == 2 || f->size == 4 ? (int)f->size : 8;

	(void)none;
	if (f->offset % (uint32_t)bytes) {
		as_mov(cg->as, R3, R6);
		as_alu_imm(cg->as, BPF_ADD, R3, (int32_t)f->offset);
		cg_probe(cg, bytes, SPACE_KERNEL);
	} else {
		as_load(cg->as, bytes, R0, R6, (int)f->offset);
	}
	if (f->bit_size)
		cg_bits(cg, f->bit_offset, f->bit_size, f->type.is_signed);
	else if (f->type.is_signed)
		cg_extend(cg, bytes, true);
}

/* Of the calls with parameters only execve can be of 32 bits. */
static bool can_be_i386(const struct cg *cg)
{
	const struct p_calls *calls = cg->event->actions.v[cg->state->action].calls;

	return cg->event->cat->kind == CAT_SYSCALL_ENTER &&
	       (is_meant(calls, SYS_execve) || is_meant(calls, SYS_execveat));
}

static void load_arg(struct cg *cg, int i)
{
	as_label native = as_new_label(cg->as), end = as_new_label(cg->as);

	if (!can_be_i386(cg) || !load_compat(cg)) {
		load_regs(cg, sys_regs.arg[i], 8);
		return;
	}
	as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, native);
	load_regs(cg, sys_regs.arg_i386[i], 4);
	as_jump(cg->as, end);
	as_bind(cg->as, native);
	load_regs(cg, sys_regs.arg[i], 8);
	as_bind(cg->as, end);
}

static void field_sysarg(struct cg *cg, const struct cat_field *f, as_label none)
{
	if (f->index > 5)
		cg_fail(cg, "a system call has at most 6 parameters");
	else if (cg->event->attach == ATTACH_RECORD)
		load_record(cg, RECORD_SYSARG_WORD + f->index, none);
	else if (cg->event->attach == ATTACH_TP_PERF &&
		 cg->event->cat->kind == CAT_SYSCALL_ENTER)
		as_load(cg->as, 8, R0, R6, RAW_ARG + 8 * f->index);
	else
		load_arg(cg, f->index);
	cg_extend(cg, f->type.size, f->type.is_signed);
}

static void field_sysret(struct cg *cg, const struct cat_field *f, as_label none)
{
	load_return(cg, none);
	cg_extend(cg, f->type.size, f->type.is_signed);
}

static void field_record(struct cg *cg, const struct cat_field *f, as_label none)
{
	load_record(cg, f->index, none);
}

void cg_sample_ip(struct cg *cg)
{
	as_load(cg->as, 8, R0, R6, sys_regs.ip);
}

static void field_sample_ip(struct cg *cg, const struct cat_field *f, as_label none)
{
	(void)f, (void)none;
	cg_sample_ip(cg);
}

static void field_sample_period(struct cg *cg, const struct cat_field *f, as_label none)
{
	(void)f, (void)none;
	as_load(cg->as, 8, R0, R6, sys_regs.sample_period);
}

static void field_func_arg(struct cg *cg, const struct cat_field *f, as_label none)
{
	(void)none;
	cg_func_arg(cg, f);
}

static void field_func_ret(struct cg *cg, const struct cat_field *f, as_label none)
{
	(void)none;
	cg_func_ret(cg, f);
}

static void field_operand(struct cg *cg, const struct cat_field *f, as_label none)
{
	(void)none;
	cg_operand(cg, f);
}

static void (*const fields[])(struct cg *cg, const struct cat_field *f, as_label none) = {
	[LOC_ARG] = field_arg,
	[LOC_FORMAT] = field_format,
	[LOC_SYSARG] = field_sysarg,
	[LOC_SYSRET] = field_sysret,
	[LOC_RECORD] = field_record,
	[LOC_SAMPLE_IP] = field_sample_ip,
	[LOC_SAMPLE_PERIOD] = field_sample_period,
	[LOC_FUNCARG] = field_func_arg,
	[LOC_FUNCRET] = field_func_ret,
	[LOC_OPERAND] = field_operand,
};

void cg_field(struct cg *cg, const struct cat_field *f, as_label none)
{
	if (!f || f->loc >= sizeof(fields) / sizeof(fields[0]) || !fields[f->loc])
		cg_fail(cg, "a field that this form of the event does not have");
	else
		fields[f->loc](cg, f, none);
}

/* R0 = address of a field that is a string in the event itself */
void cg_field_address(struct cg *cg, const struct cat_field *f, as_label none)
{
	if (f->loc != LOC_FORMAT) {
		cg_field(cg, f, none);
		return;
	}
	as_mov(cg->as, R0, R6);
	if (f->data_loc) {
		as_load(cg->as, 4, R1, R6, (int)f->offset);
		as_alu_imm(cg->as, BPF_AND, R1, 0xffff);
		as_alu(cg->as, BPF_ADD, R0, R1);
	} else {
		as_alu_imm(cg->as, BPF_ADD, R0, (int32_t)f->offset);
	}
}
