/*
 * split: time and count of a row's parts, in the row's record (struct p_split).
 *
 * Parts on the row's own thread: each has a sum, from which the time is taken when it
 * becomes the innermost and to which it is added when it no longer is. The stack of
 * those that are open says which is the innermost. Only the row's thread changes them.
 *
 * Other parts are asynchronous, may end anywhere at any time: each has a word (cg_async.c), and so
 * has `covered`, over all parts, the stack counting as one. Times that two CPUs read may differ by
 * some ns: the times are kept within the row, so that times - overlap + other = duration holds
 * in every one.
 *
 * R7 is the row's record in the table.
 */
#include "bpf/cg_split.h"
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_state.h"

int cg_split_slot_off(const struct p_period *p, int slot)
{
	return (int)p->slots.v[slot].off;
}

int cg_split_time_off(const struct p_period *p, int part)
{
	return cg_split_slot_off(p, p->split->first + 2 * part);
}

static bool is_async(const struct p_split *s, int part)
{
	return !s->parts[part].on_thread;
}

/* ---- asynchronous parts ---- */

static void covered_change(struct cg *cg, const struct p_period *p, bool more)
{
	as_label end = as_new_label(cg->as);

	if (p->split->covered >= 0)
		cg_async_change(cg, p, cg_split_slot_off(p, p->split->covered), more, end, end);
	as_bind(cg->as, end);
}

static void async_change(struct cg *cg, const struct p_period *p, int part, bool more)
{
	as_label changed = as_new_label(cg->as), same = as_new_label(cg->as);

	cg_async_change(cg, p, cg_split_time_off(p, part), more, changed, same);
	as_bind(cg->as, changed);
	covered_change(cg, p, more);
	as_bind(cg->as, same);
}

/* ---- the stack ---- */

/* One comparison for both bounds, which the verifiers of all kernels follow. */
void cg_split_part(struct cg *cg, const struct p_period *p, as_label none)
{
	as_mov(cg->as, R2, R1);
	as_alu_imm(cg->as, BPF_SUB, R2, 1);
	as_jump_if_imm(cg->as, BPF_JGE, R2, p->split->n_parts, none);
	as_alu_imm(cg->as, BPF_LSH, R2, 4);
	as_alu(cg->as, BPF_ADD, R2, R7);
}

void cg_split_time(struct cg *cg, const struct p_period *p, bool begins)
{
	as_label none = as_new_label(cg->as);
	int keep = cg_frame(cg, 8);

	as_store(cg->as, 8, R10, keep, R1);
	cg_now(cg);
	as_load(cg->as, 8, R1, R10, keep);
	cg_split_part(cg, p, none);
	as_load(cg->as, 8, R3, R2, cg_split_time_off(p, 0));
	as_alu(cg->as, begins ? BPF_SUB : BPF_ADD, R3, R0);
	as_store(cg->as, 8, R2, cg_split_time_off(p, 0), R3);
	as_bind(cg->as, none);
	cg_frame_free(cg, 8);
}

/* Which ticket's an entry of the stack is: of a part that is several periods the topmost need not be what ends. */
static int numbers_off(const struct p_period *p)
{
	return cg_split_slot_off(p, p->split->numbers >= 0 ? p->split->numbers : p->split->stack);
}

static int number_of(const struct p_period *p, const struct p_ticket *t)
{
	return p->split->numbers >= 0 ? t->number : t->part + 1;
}

/* R1 = the innermost's byte of those at an offset, or 0; R2 = depth */
static void stack_top(struct cg *cg, const struct p_period *p, int bytes, as_label broken)
{
	as_label end = as_new_label(cg->as);

	as_imm(cg->as, R1, 0);
	as_load(cg->as, 8, R2, R7, cg_split_slot_off(p, p->split->depth));
	as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, end);
	as_jump_if_imm(cg->as, BPF_JGT, R2, PART_STACK, broken);
	as_mov(cg->as, R1, R7);
	as_alu(cg->as, BPF_ADD, R1, R2);
	as_load(cg->as, 1, R1, R1, bytes - 1);
	as_bind(cg->as, end);
}

/*
 *	if (depth >= PART_STACK) goto deep;
 *	if (top) time[top] += now; else covered: one more
 *	stack[depth++] = part; time[part] -= now;
 * The same part as the innermost, as in recursion, comes out even.
 */
static void stack_push(struct cg *cg, const struct p_period *p, const struct p_ticket *t, as_label deep)
{
	as_label inside = as_new_label(cg->as), go = as_new_label(cg->as);
	int depth = cg_split_slot_off(p, p->split->depth), stack = cg_split_slot_off(p, p->split->stack);

	as_load(cg->as, 8, R2, R7, depth);
	as_jump_if_imm(cg->as, BPF_JGE, R2, PART_STACK, deep);
	as_jump_if_imm(cg->as, BPF_JNE, R2, 0, inside);
	covered_change(cg, p, true);
	as_jump(cg->as, go);
	as_bind(cg->as, inside);
	stack_top(cg, p, stack, deep);
	cg_split_time(cg, p, false);
	as_bind(cg->as, go);
	as_load(cg->as, 8, R2, R7, depth);
	as_jump_if_imm(cg->as, BPF_JGE, R2, PART_STACK, deep);
	as_mov(cg->as, R1, R7);
	as_alu(cg->as, BPF_ADD, R1, R2);
	as_store_imm(cg->as, 1, R1, stack, t->part + 1);
	if (p->split->numbers >= 0)
		as_store_imm(cg->as, 1, R1, numbers_off(p), t->number);
	as_alu_imm(cg->as, BPF_ADD, R2, 1);
	as_store(cg->as, 8, R7, depth, R2);
	as_imm(cg->as, R1, t->part + 1);
	cg_split_time(cg, p, true);
}

/* R4 = the 8 bytes at off, of which the one at bit R3 is gone: those above it are one lower */
static void word_without(struct cg *cg, int off)
{
	as_load(cg->as, 8, R4, R7, off);
	as_mov(cg->as, R1, R4);
	as_alu_imm(cg->as, BPF_RSH, R1, 8);
	as_imm(cg->as, R5, -1);
	as_alu(cg->as, BPF_LSH, R5, R3);
	as_alu(cg->as, BPF_AND, R1, R5);
	as_alu_imm(cg->as, BPF_XOR, R5, -1);
	as_alu(cg->as, BPF_AND, R4, R5);
	as_alu(cg->as, BPF_OR, R4, R1);
}

/* Of the 16 bytes at off the one at bit R3 of their first or second half goes. */
static void bytes_without(struct cg *cg, int off, bool first)
{
	word_without(cg, first ? off : off + 8);
	if (!first) {
		as_store(cg->as, 8, R7, off + 8, R4);
		return;
	}
	as_load(cg->as, 8, R1, R7, off + 8);
	as_mov(cg->as, R0, R1);
	as_alu_imm(cg->as, BPF_LSH, R0, 56);
	as_alu(cg->as, BPF_OR, R4, R0);
	as_store(cg->as, 8, R7, off, R4);
	as_alu_imm(cg->as, BPF_RSH, R1, 8);
	as_store(cg->as, 8, R7, off + 8, R1);
}

static void entry_remove(struct cg *cg, const struct p_period *p, bool first)
{
	bytes_without(cg, cg_split_slot_off(p, p->split->stack), first);
	if (p->split->numbers >= 0)
		bytes_without(cg, numbers_off(p), first);
}

/* The topmost of this ticket goes, which is not the innermost: no place stays empty, else two that
 * begin anew in turn fill the stack. R2 = depth */
static void stack_remove(struct cg *cg, const struct p_period *p, const struct p_ticket *t, as_label end)
{
	as_label first = as_new_label(cg->as), second = as_new_label(cg->as), less = as_new_label(cg->as);

	for (int i = PART_STACK - 1; i >= 0; i--) {
		as_label next = as_new_label(cg->as);

		as_jump_if_imm(cg->as, BPF_JLE, R2, i, next);
		as_load(cg->as, 1, R1, R7, numbers_off(p) + i);
		as_imm(cg->as, R3, i % 8 * 8);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, number_of(p, t), i < 8 ? first : second);
		as_bind(cg->as, next);
	}
	as_jump(cg->as, end);
	as_bind(cg->as, first);
	entry_remove(cg, p, true);
	as_jump(cg->as, less);
	as_bind(cg->as, second);
	entry_remove(cg, p, false);
	as_bind(cg->as, less);
	as_alu_imm(cg->as, BPF_SUB, R2, 1);
	as_store(cg->as, 8, R7, cg_split_slot_off(p, p->split->depth), R2);
	as_jump(cg->as, end);
}

/*
 *	if (top is another ticket's) { remove; goto end; }
 *	time[part] += now;
 *	if (--depth) time[top] -= now; else covered: one less
 */
static void stack_pop(struct cg *cg, const struct p_period *p, const struct p_ticket *t, as_label end)
{
	as_label is_top = as_new_label(cg->as), empty = as_new_label(cg->as);
	int depth = cg_split_slot_off(p, p->split->depth);

	stack_top(cg, p, numbers_off(p), end);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, number_of(p, t), is_top);
	stack_remove(cg, p, t, end);
	as_bind(cg->as, is_top);
	if (p->split->numbers >= 0)
		as_imm(cg->as, R1, t->part + 1);
	cg_split_time(cg, p, false);
	as_load(cg->as, 8, R2, R7, depth);
	as_alu_imm(cg->as, BPF_SUB, R2, 1);
	as_store(cg->as, 8, R7, depth, R2);
	stack_top(cg, p, cg_split_slot_off(p, p->split->stack), end);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, empty);
	cg_split_time(cg, p, true);
	as_jump(cg->as, end);
	as_bind(cg->as, empty);
	covered_change(cg, p, false);
}

/* ---- tickets ---- */

/* Is the part's begin one of those that count? */
static void check_cond(struct cg *cg, const struct p_period *p, const struct p_ticket *t,
		       struct place record, as_label not)
{
	if (t->cond_slot < 0)
		return;
	as_load(cg->as, 8, R0, record.reg, record.off + (int)p->mask_off);
	as_imm(cg->as, R1, (int64_t)(1ull << t->cond_slot));
	as_alu(cg->as, BPF_AND, R0, R1);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, not);
	as_load(cg->as, 8, R0, record.reg, record.off + cg_split_slot_off(p, t->cond_slot));
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, not);
}

static void ticket_take(struct cg *cg, const struct p_action *act, int i, struct place record)
{
	const struct p_ticket *t = &act->period->tickets.v[i];
	const struct p_period *row = t->row;
	as_label end = as_new_label(cg->as), deep = as_new_label(cg->as);
	struct place at = { record.reg, record.off + (int)t->off };

	as_note(cg->as, act->loc, "part: whose is it?");
	cg_zero(cg, at, 8 + (int)row->key_bytes);
	check_cond(cg, act->period, t, record, end);
	cg_open_find_key(cg, act->looks[i], (struct place){ at.reg, at.off + 8 }, end);
	as_mov(cg->as, R7, R0);
	as_note(cg->as, act->loc, "part: it begins");
	if (is_async(row->split, t->part))
		async_change(cg, row, t->part, true);
	else
		stack_push(cg, row, t, deep);
	as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_ADD, R7, cg_split_time_off(row, t->part) + 8, R1);
	as_load(cg->as, 8, R0, R7, cg_split_slot_off(row, row->split->generation));
	as_store(cg->as, 8, at.reg, at.off, R0);
	as_jump(cg->as, end);
	as_bind(cg->as, deep);
	as_jump(cg->as, cg_count_then(cg, row->split->c_deep, end));
	as_bind(cg->as, end);
}

/* Where it is several parts of a row, the first of them is the innermost. */
void cg_tickets_take(struct cg *cg, const struct p_action *act, struct place record)
{
	for (int i = act->period->tickets.n - 1; i >= 0; i--)
		ticket_take(cg, act, i, record);
}

void cg_tickets_leave(struct cg *cg, const struct p_period *p)
{
	for (int i = 0; i < p->tickets.n; i++) {
		const struct p_ticket *t = &p->tickets.v[i];
		as_label end = as_new_label(cg->as);

		as_note(cg->as, p->loc, "part: it ends");
		as_load(cg->as, 8, R0, R8, (int)t->off);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
		cg_find(cg, cg->state->period_map[t->row->id], (struct place){ R8, (int)t->off + 8 }, end);
		as_mov(cg->as, R7, R0);
		as_load(cg->as, 8, R0, R7, cg_split_slot_off(t->row, t->row->split->generation));
		as_load(cg->as, 8, R1, R8, (int)t->off);
		as_jump_if(cg->as, BPF_JNE, R0, R1, end);
		if (is_async(t->row->split, t->part))
			async_change(cg, t->row, t->part, false);
		else
			stack_pop(cg, t->row, t, end);
		as_bind(cg->as, end);
	}
}

/* ---- the row ---- */

static void store_word(struct cg *cg, struct place record, int off)
{
	as_store(cg->as, 8, record.reg, record.off + off, R0);
}

/* A word for each asynchronous part and for covered, of R0 = generation. */
static void async_begin(struct cg *cg, const struct p_period *p, struct place record)
{
	const struct p_split *s = p->split;

	cg_async_none(cg);
	for (int i = 0; i < s->n_own; i++)
		if (is_async(s, i))
			store_word(cg, record, cg_split_time_off(p, i));
	if (s->covered >= 0)
		store_word(cg, record, cg_split_slot_off(p, s->covered));
}

/* It is running, once. */
static void states_begin(struct cg *cg, const struct p_period *p, struct place record)
{
	int running = p->split->n_own;

	cg_now(cg);
	as_neg(cg->as, R0);
	store_word(cg, record, cg_split_time_off(p, running));
	as_imm(cg->as, R0, 1);
	store_word(cg, record, cg_split_time_off(p, running) + 8);
	as_imm(cg->as, R0, running + 1);
	store_word(cg, record, cg_split_slot_off(p, p->split->state));
}

void cg_split_begin(struct cg *cg, const struct p_period *p, struct place record)
{
	const struct p_split *s = p->split;

	cg_global_address(cg, R1, s->global);
	as_imm(cg->as, R0, 1);
	as_atomic(cg->as, BPF_ADD | BPF_FETCH, R1, 0, R0);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	store_word(cg, record, cg_split_slot_off(p, s->generation));
	if (s->n_own)
		async_begin(cg, p, record);
	if (s->n_own < s->n_parts)
		states_begin(cg, p, record);
}

struct place cg_split_take(struct cg *cg, const struct p_period *p)
{
	const struct p_split *s = p->split;
	struct place taken = cg_room(cg, 8 * (s->n_parts + 1));

	for (int i = 0; i < s->n_parts; i++)
		if (is_async(s, i))
			cg_async_take(cg, cg_split_time_off(p, i), (struct place){ taken.reg, taken.off + 8 * i });
	if (s->covered >= 0)
		cg_async_take(cg, cg_split_slot_off(p, s->covered),
			  (struct place){ taken.reg, taken.off + 8 * s->n_parts });
	return taken;
}

/* R1 = the smaller of it and the frame's word */
static void at_most(struct cg *cg, int off)
{
	as_label fits = as_new_label(cg->as);

	as_load(cg->as, 8, R2, R10, off);
	as_jump_if(cg->as, BPF_JLE, R1, R2, fits);
	as_mov(cg->as, R1, R2);
	as_bind(cg->as, fits);
}

/* The part of these that is R1 - 1 is cut at the row's end, R0. */
static void cut_one(struct cg *cg, const struct p_period *p, int from, int to)
{
	as_label end = as_new_label(cg->as);

	for (int i = from; i < to; i++) {
		as_label next = as_new_label(cg->as);

		if (is_async(p->split, i))
			continue;
		as_jump_if_imm(cg->as, BPF_JNE, R1, i + 1, next);
		as_load(cg->as, 8, R2, R8, cg_split_time_off(p, i));
		as_alu(cg->as, BPF_ADD, R2, R0);
		as_store(cg->as, 8, R8, cg_split_time_off(p, i), R2);
		as_jump(cg->as, end);
		as_bind(cg->as, next);
	}
	as_bind(cg->as, end);
}

/* The innermost part is cut at the row's end; it is in the frame, + 1. */
static void cut_stack(struct cg *cg, const struct p_period *p, int innermost)
{
	const struct p_split *s = p->split;
	as_label found = as_new_label(cg->as);
	int stack = cg_split_slot_off(p, s->stack);

	as_load(cg->as, 8, R1, R8, cg_split_slot_off(p, s->depth));
	for (int i = PART_STACK; i > 0; i--) {
		as_label next = as_new_label(cg->as);

		as_jump_if_imm(cg->as, BPF_JNE, R1, i, next);
		as_load(cg->as, 1, R1, R8, stack + i - 1);
		as_jump(cg->as, found);
		as_bind(cg->as, next);
	}
	as_bind(cg->as, found);
	as_store(cg->as, 8, R10, innermost, R1);
	cut_one(cg, p, 0, s->n_own);
}

/* Which parts were open? */
static void count_cut(struct cg *cg, const struct p_period *p, struct place taken, int innermost)
{
	for (int i = 0; i < p->split->n_own; i++) {
		as_label closed = as_new_label(cg->as);

		if (is_async(p->split, i)) {
			as_load(cg->as, 8, R1, taken.reg, taken.off + 8 * i);
			cg_async_is_open(cg, R1, closed);
		} else {
			as_load(cg->as, 8, R1, R10, innermost);
			as_jump_if_imm(cg->as, BPF_JNE, R1, i + 1, closed);
		}
		cg_count(cg, p->split->parts[i].c_cut);
		as_bind(cg->as, closed);
	}
}

/* The time of part i is R1 = what it says, at most what is left of the duration. */
static void thread_time(struct cg *cg, const struct p_period *p, int i, int left)
{
	as_load(cg->as, 8, R1, R8, cg_split_time_off(p, i));
	at_most(cg, left);
	as_load(cg->as, 8, R2, R10, left);
	as_alu(cg->as, BPF_SUB, R2, R1);
	as_store(cg->as, 8, R10, left, R2);
	as_store(cg->as, 8, R8, cg_split_time_off(p, i), R1);
}

static void states_end(struct cg *cg, const struct p_period *p, int left)
{
	const struct p_split *s = p->split;

	as_load(cg->as, 8, R1, R10, cg->state->duration_off);
	as_store(cg->as, 8, R10, left, R1);
	as_load(cg->as, 8, R1, R8, cg_split_slot_off(p, s->state));
	cut_one(cg, p, s->n_own, s->n_parts);
	for (int i = s->n_own; i < s->n_parts; i++)
		thread_time(cg, p, i, left);
}

/* other = duration - covered; overlap = all times - covered */
static void rest_end(struct cg *cg, const struct p_period *p, struct place taken, int sum)
{
	const struct p_split *s = p->split;

	if (s->covered >= 0) {
		as_load(cg->as, 8, R1, taken.reg, taken.off + 8 * s->n_parts);
		cg_async_time(cg);
		at_most(cg, sum);
	} else {
		as_load(cg->as, 8, R1, R10, sum);
	}
	if (s->overlap >= 0) {
		as_load(cg->as, 8, R2, R10, sum);
		as_alu(cg->as, BPF_SUB, R2, R1);
		as_store(cg->as, 8, R8, cg_split_slot_off(p, s->overlap), R2);
	}
	if (s->other >= 0) {
		as_load(cg->as, 8, R2, R10, cg->state->duration_off);
		as_alu(cg->as, BPF_SUB, R2, R1);
		as_store(cg->as, 8, R8, cg_split_slot_off(p, s->other), R2);
	}
}

/*
 *	left = duration;
 *	for parts of the stack: left -= time = min(time, left)
 *	for the others: time = word's
 */
void cg_split_end(struct cg *cg, const struct p_period *p, struct place taken)
{
	const struct p_split *s = p->split;
	int left = cg_frame(cg, 8), sum = cg_frame(cg, 8), innermost = cg_frame(cg, 8);

	as_note(cg->as, p->loc, "split: the times of its parts");
	cg_now(cg);
	if (s->n_own < s->n_parts)
		states_end(cg, p, left);
	if (s->n_own)
		cut_stack(cg, p, innermost);
	as_load(cg->as, 8, R1, R10, cg->state->duration_off);
	as_store(cg->as, 8, R10, left, R1);
	as_store_imm(cg->as, 8, R10, sum, 0);
	for (int i = 0; i < s->n_own; i++) {
		if (is_async(s, i)) {
			as_load(cg->as, 8, R1, taken.reg, taken.off + 8 * i);
			cg_async_time(cg);
			as_store(cg->as, 8, R8, cg_split_time_off(p, i), R1);
		} else {
			thread_time(cg, p, i, left);
		}
		as_load(cg->as, 8, R2, R10, sum);
		as_alu(cg->as, BPF_ADD, R2, R1);
		as_store(cg->as, 8, R10, sum, R2);
	}
	rest_end(cg, p, taken, sum);
	count_cut(cg, p, taken, innermost);
}
