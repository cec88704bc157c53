/*
 * Functions of the language, a row each: what makes a word and what makes text.
 * Their types are plan/func.c's. path() and file() are in cg_path.c.
 */
#include "bpf/cg_state.h"

#define ERRNO_MOST 4095

/* ---- words: R0 is the first argument ---- */

static void as_it_is(struct cg *cg, const struct px *e, as_label none)
{
	cg_word(cg, e->kids[0], none);
	if (cg_pointerish(e->kids[0]) && !cg_pointerish(e))
		cg_scalar(cg);
	cg_extend(cg, e->type.size, e->type.is_signed);
}

/* From network order: big endian. */
static void port(struct cg *cg, const struct px *e, as_label none)
{
	cg_word(cg, e->kids[0], none);
	as_bswap(cg->as, R0, 16);
}

/* R0 = -4095 <= R0 < 0 ? -R0 : 0 */
static void errno_of(struct cg *cg, const struct px *e, as_label none)
{
	as_label error = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	as_neg(cg->as, R0);
	as_mov(cg->as, R1, R0);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_jump_if_imm(cg->as, BPF_JLT, R1, ERRNO_MOST, error);
	as_imm(cg->as, R0, 0);
	as_bind(cg->as, error);
	as_bind(cg->as, end);
}

/* R0 = the power of two at or below it; 0 for 0 and what is negative */
static void bucket(struct cg *cg, const struct px *e, as_label none)
{
	as_label positive = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	as_mov(cg->as, R1, R0);
	as_imm(cg->as, R0, 0);
	if (e->kids[0]->type.is_signed)
		as_jump_if_imm(cg->as, BPF_JSGT, R1, 0, positive);
	else
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, positive);
	as_jump(cg->as, end);
	as_bind(cg->as, positive);
	cg_log2(cg, R2, R1, R3);
	as_alu_imm(cg->as, BPF_SUB, R2, 1);
	as_alu_imm(cg->as, BPF_AND, R2, 63);
	as_imm(cg->as, R0, 1);
	as_alu(cg->as, BPF_LSH, R0, R2);
	as_bind(cg->as, end);
}

/*
 * A task's state, include/linux/sched.h. With the preempt argument the state is
 * the task's own word; alone it is what the tracepoint's format tells, where 0x80
 * is idle and 0x100 preempted (TASK_REPORT_MAX). The first row that fits counts:
 * all bits of `bits` for idle, any for the others.
 */
struct state_row {
	int32_t bits;
	bool all;
	uint8_t state;
};

static const struct state_row raw_states[] = {
	{ 0x402, true, STATE_IDLE },		/* UNINTERRUPTIBLE | NOLOAD */
	{ 0x01, false, STATE_SLEEPING },
	{ 0x02, false, STATE_DISK },
	{ 0x04, false, STATE_STOPPED },
	{ 0x08, false, STATE_TRACED },
	{ 0xb0, false, STATE_DEAD },		/* EXIT_DEAD EXIT_ZOMBIE TASK_DEAD */
	{ 0x40, false, STATE_IDLE },		/* PARKED */
	{ 0xb000, false, STATE_DISK },		/* RTLOCK_WAIT FREEZABLE FROZEN */
};

static const struct state_row format_states[] = {
	{ 0x100, false, STATE_PREEMPTED },
	{ 0x402, true, STATE_IDLE },
	{ 0x80, false, STATE_IDLE },
	{ 0x01, false, STATE_SLEEPING },
	{ 0x02, false, STATE_DISK },
	{ 0x04, false, STATE_STOPPED },
	{ 0x08, false, STATE_TRACED },
	{ 0x30, false, STATE_DEAD },
	{ 0x40, false, STATE_IDLE },
};

#define ROWS(table) (int)(sizeof(table) / sizeof((table)[0]))

/* R0 = the state of R1; R0 is already what it is when no row fits. */
static void state_rows(struct cg *cg, const struct state_row *rows, int n, as_label end)
{
	for (int i = 0; i < n; i++) {
		as_label next = as_new_label(cg->as);

		as_mov(cg->as, R2, R1);
		as_alu_imm(cg->as, BPF_AND, R2, rows[i].bits);
		if (rows[i].all)
			as_jump_if_imm(cg->as, BPF_JNE, R2, rows[i].bits, next);
		else
			as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, next);
		as_imm(cg->as, R0, rows[i].state);
		as_jump(cg->as, end);
		as_bind(cg->as, next);
	}
}

static void taskstate(struct cg *cg, const struct px *e, as_label none)
{
	as_label end = as_new_label(cg->as);
	int slot = cg_frame(cg, 8);

	cg_word(cg, e->kids[0], none);
	if (e->n_kids > 1) {
		as_store(cg->as, 8, R10, slot, R0);
		cg_word(cg, e->kids[1], none);
		as_mov(cg->as, R1, R0);
		as_imm(cg->as, R0, STATE_PREEMPTED);
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, end);
		as_load(cg->as, 8, R1, R10, slot);
		as_imm(cg->as, R0, STATE_RUNNING);
		state_rows(cg, raw_states, ROWS(raw_states), end);
	} else {
		as_mov(cg->as, R1, R0);
		as_imm(cg->as, R0, STATE_RUNNING);
		state_rows(cg, format_states, ROWS(format_states), end);
	}
	as_bind(cg->as, end);
	cg_frame_free(cg, 8);
}

static void extreme(struct cg *cg, const struct px *e, as_label none)
{
	as_label keep = as_new_label(cg->as);
	bool is_signed = e->type.is_signed;
	int op = e->func == FUNC_MIN ? (is_signed ? BPF_JSLE : BPF_JLE)
				     : (is_signed ? BPF_JSGE : BPF_JGE);

	cg_pair(cg, e->kids[0], e->kids[1], none);
	as_jump_if(cg->as, op, R0, R1, keep);
	as_mov(cg->as, R0, R1);
	as_bind(cg->as, keep);
}

static void absolute(struct cg *cg, const struct px *e, as_label none)
{
	as_label positive = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	if (e->kids[0]->type.is_signed) {
		as_jump_if_imm(cg->as, BPF_JSGE, R0, 0, positive);
		as_neg(cg->as, R0);
	}
	as_bind(cg->as, positive);
}

/* ---- texts ---- */

/* ::ffff:a.b.c.d of a word or of 4 bytes at an address, or the 16 bytes there */
static void ip(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	const struct px *kid = e->kids[0];
	bool v4 = e->stride != 16;
	int off = v4 ? 12 : 0;

	if (room < 16) {
		cg_fail(cg, "no room for an address");
		return;
	}
	cg_word(cg, kid, none);
	cg_zero(cg, at, 16);
	if (v4)
		as_store_imm(cg->as, 4, at.reg, at.off + 8, (int32_t)0xffff0000);
	if (kid->type.kind == TY_INT) {
		as_store(cg->as, 4, at.reg, at.off + 12, R0);
		return;
	}
	as_mov(cg->as, R3, R0);
	cg_addr(cg, R1, (struct place){ at.reg, at.off + off });
	as_imm(cg->as, R2, v4 ? 4 : 16);
	as_call(cg->as, BPF_FUNC_probe_read_kernel);
}

typedef void (*word_fn)(struct cg *cg, const struct px *e, as_label none);
typedef void (*text_fn)(struct cg *cg, const struct px *e, struct place at, int room,
			as_label none);

static const struct {
	word_fn word;
	text_fn text;
} functions[FUNCS] = {
	[FUNC_DISK] = { as_it_is, NULL },
	[FUNC_IP] = { NULL, ip },
	[FUNC_PORT] = { port, NULL },
	[FUNC_CMDLINE] = { NULL, cg_cmdline },
	[FUNC_ARGV] = { NULL, cg_argv },
	[FUNC_PATH] = { NULL, cg_path },
	[FUNC_FILE] = { cg_file, NULL },
	[FUNC_SYM] = { as_it_is, NULL },
	[FUNC_USYM] = { NULL, cg_usym },
	[FUNC_WAKERS] = { NULL, cg_wakers },
	[FUNC_ERRNO] = { errno_of, NULL },
	[FUNC_SIGNAL] = { as_it_is, NULL },
	[FUNC_BUCKET] = { bucket, NULL },
	[FUNC_CONTAINER] = { as_it_is, NULL },
	[FUNC_REQFLAGS] = { as_it_is, NULL },
	[FUNC_TASKSTATE] = { taskstate, NULL },
	[FUNC_TCPSTATE] = { as_it_is, NULL },
	[FUNC_SOFTIRQ] = { as_it_is, NULL },
	[FUNC_CAPABILITY] = { as_it_is, NULL },
	[FUNC_MIN] = { extreme, NULL },
	[FUNC_MAX] = { extreme, NULL },
	[FUNC_ABS] = { absolute, NULL },
};

void cg_call_word(struct cg *cg, const struct px *e, as_label none)
{
	if (!functions[e->func].word)
		cg_fail(cg, "a function that programs don't have");
	else
		functions[e->func].word(cg, e, none);
}

void cg_call_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		  as_label none)
{
	int bytes = (int)e->type.bytes < room ? (int)e->type.bytes / 8 * 8 : room;

	if (pad)
		cg_zero(cg, at, room);
	if (!functions[e->func].text)
		cg_fail(cg, "a function that programs don't have");
	else
		functions[e->func].text(cg, e, at, bytes, none);
}
