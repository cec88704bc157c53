/*
 * split: time and count of a row's parts, in the row's record (struct p_split).
 *
 * Parts on the row's own thread: each has a sum, from which the time is taken when it
 * becomes the innermost and to which it is added when it no longer is. The stack of
 * those that are open says which is the innermost. Only the row's thread changes them.
 *
 * Other parts may end anywhere at any time: each has one word that changes as a whole,
 *
 *	generation (8 bits) | instances open + OPEN_NONE (8) | sum, modulo 2^48
 *
 * the sum when the number open goes 0 to 1 and 1 to 0. `covered` is such a word over all
 * parts, the stack counting as one. The row's end takes the words away by an exchange, so
 * that what comes later, which finds another generation, changes nothing; what is open
 * then is cut there. Times that two CPUs read may differ by some ns: the times are kept
 * within the row, so that times - overlap + other = duration holds in every one.
 *
 * R7 is the row's record in the table.
 */
#include "bpf/cg_state.h"

#define SUM_BITS 48
#define SUM_MASK ((1ll << SUM_BITS) - 1)
#define OPEN_NONE 64			/* a number below it: an end overtook its begin */
#define TRIES 8				/* of an exchange against other CPUs */

static int slot_off(const struct p_period *p, int slot)
{
	return (int)p->slots.v[slot].off;
}

static int time_off(const struct p_period *p, int part)
{
	return slot_off(p, p->split->first + 2 * part);
}

static bool is_lane(const struct p_split *s, int part)
{
	return !s->parts[part].on_thread;
}

/* dst = generation & 127 | 128: never 0 */
static void load_tag(struct cg *cg, const struct p_period *p, int dst)
{
	as_load(cg->as, 8, dst, R7, slot_off(p, p->split->generation));
	as_alu_imm(cg->as, BPF_AND, dst, 127);
	as_alu_imm(cg->as, BPF_OR, dst, 128);
}

/* ---- words ---- */

/*
 * One more or less is open in the word at R7 + off; goes to changed when that was the
 * first or is none now:
 *
 *	old = word;
 *	for (TRIES) {
 *		if (old >> 56 != tag) goto same;
 *		new = old +- (1 << 48);
 *		if (open(more ? old : new) == OPEN_NONE) sum(new) -+= now;
 *		if (cmpxchg(&word, old, new) succeeds) goto changed or same;
 *	}
 */
static void word_change(struct cg *cg, const struct p_period *p, int off, bool more,
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

static void covered_change(struct cg *cg, const struct p_period *p, bool more)
{
	as_label end = as_new_label(cg->as);

	if (p->split->covered >= 0)
		word_change(cg, p, slot_off(p, p->split->covered), more, end, end);
	as_bind(cg->as, end);
}

static void lane_change(struct cg *cg, const struct p_period *p, int part, bool more)
{
	as_label changed = as_new_label(cg->as), same = as_new_label(cg->as);

	word_change(cg, p, time_off(p, part), more, changed, same);
	as_bind(cg->as, changed);
	covered_change(cg, p, more);
	as_bind(cg->as, same);
}

/* ---- the stack ---- */

/* R2 = R7 + 16 * (R1 - 1), if R1 is a part + 1: one comparison for both bounds, which
 * the verifiers of all kernels follow. */
static void part_address(struct cg *cg, const struct p_period *p, as_label none)
{
	as_mov(cg->as, R2, R1);
	as_alu_imm(cg->as, BPF_SUB, R2, 1);
	as_jump_if_imm(cg->as, BPF_JGE, R2, p->split->n_parts, none);
	as_alu_imm(cg->as, BPF_LSH, R2, 4);
	as_alu(cg->as, BPF_ADD, R2, R7);
}

/* time[R1 - 1] -= or += now, if R1 is a part + 1. */
static void stack_time(struct cg *cg, const struct p_period *p, bool begins)
{
	as_label none = as_new_label(cg->as);
	int keep = cg_frame(cg, 8);

	as_store(cg->as, 8, R10, keep, R1);
	cg_now(cg);
	as_load(cg->as, 8, R1, R10, keep);
	part_address(cg, p, none);
	as_load(cg->as, 8, R3, R2, time_off(p, 0));
	as_alu(cg->as, begins ? BPF_SUB : BPF_ADD, R3, R0);
	as_store(cg->as, 8, R2, time_off(p, 0), R3);
	as_bind(cg->as, none);
	cg_frame_free(cg, 8);
}

/* R1 = the innermost + 1, or 0; R2 = depth */
static void stack_top(struct cg *cg, const struct p_period *p, as_label broken)
{
	as_label end = as_new_label(cg->as);

	as_imm(cg->as, R1, 0);
	as_load(cg->as, 8, R2, R7, slot_off(p, p->split->depth));
	as_jump_if_imm(cg->as, BPF_JEQ, R2, 0, end);
	as_jump_if_imm(cg->as, BPF_JGT, R2, PART_STACK, broken);
	as_mov(cg->as, R1, R7);
	as_alu(cg->as, BPF_ADD, R1, R2);
	as_load(cg->as, 1, R1, R1, slot_off(p, p->split->stack) - 1);
	as_bind(cg->as, end);
}

/*
 *	if (depth >= PART_STACK) goto deep;
 *	if (top) time[top] += now; else covered: one more
 *	stack[depth++] = part; time[part] -= now;
 * The same part as the innermost, as in recursion, comes out even.
 */
static void stack_push(struct cg *cg, const struct p_period *p, int part, as_label deep)
{
	as_label inside = as_new_label(cg->as), go = as_new_label(cg->as);
	int depth = slot_off(p, p->split->depth), stack = slot_off(p, p->split->stack);

	as_load(cg->as, 8, R2, R7, depth);
	as_jump_if_imm(cg->as, BPF_JGE, R2, PART_STACK, deep);
	as_jump_if_imm(cg->as, BPF_JNE, R2, 0, inside);
	covered_change(cg, p, true);
	as_jump(cg->as, go);
	as_bind(cg->as, inside);
	stack_top(cg, p, deep);
	stack_time(cg, p, false);
	as_bind(cg->as, go);
	as_load(cg->as, 8, R2, R7, depth);
	as_jump_if_imm(cg->as, BPF_JGE, R2, PART_STACK, deep);
	as_mov(cg->as, R1, R7);
	as_alu(cg->as, BPF_ADD, R1, R2);
	as_store_imm(cg->as, 1, R1, stack, part + 1);
	as_alu_imm(cg->as, BPF_ADD, R2, 1);
	as_store(cg->as, 8, R7, depth, R2);
	as_imm(cg->as, R1, part + 1);
	stack_time(cg, p, true);
}

/* The topmost of this part goes; it is not the innermost: its place becomes 0. */
static void stack_remove(struct cg *cg, const struct p_period *p, int part, as_label end)
{
	int stack = slot_off(p, p->split->stack);

	for (int i = PART_STACK - 1; i >= 0; i--) {
		as_label next = as_new_label(cg->as);

		as_jump_if_imm(cg->as, BPF_JLE, R2, i, next);
		as_load(cg->as, 1, R1, R7, stack + i);
		as_jump_if_imm(cg->as, BPF_JNE, R1, part + 1, next);
		as_store_imm(cg->as, 1, R7, stack + i, 0);
		as_jump(cg->as, end);
		as_bind(cg->as, next);
	}
	as_jump(cg->as, end);
}

/*
 *	if (top != part) { remove; goto end; }
 *	time[part] += now;
 *	do depth--; while (depth && !stack[depth - 1]);
 *	if (depth) time[top] -= now; else covered: one less
 */
static void stack_pop(struct cg *cg, const struct p_period *p, int part, as_label end)
{
	as_label is_top = as_new_label(cg->as), found = as_new_label(cg->as);
	as_label empty = as_new_label(cg->as);
	int depth = slot_off(p, p->split->depth), stack = slot_off(p, p->split->stack);

	stack_top(cg, p, end);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, part + 1, is_top);
	stack_remove(cg, p, part, end);
	as_bind(cg->as, is_top);
	stack_time(cg, p, false);
	as_load(cg->as, 8, R2, R7, depth);
	for (int i = PART_STACK - 1; i > 0; i--) {	/* i: the depth that it may become */
		as_label next = as_new_label(cg->as);

		as_jump_if_imm(cg->as, BPF_JLE, R2, i, next);
		as_load(cg->as, 1, R1, R7, stack + i - 1);
		as_imm(cg->as, R3, i);
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, found);
		as_bind(cg->as, next);
	}
	as_jump(cg->as, empty);
	as_bind(cg->as, found);
	as_store(cg->as, 8, R7, depth, R3);
	stack_time(cg, p, true);
	as_jump(cg->as, end);
	as_bind(cg->as, empty);
	as_store_imm(cg->as, 8, R7, depth, 0);
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
	as_load(cg->as, 8, R0, record.reg, record.off + slot_off(p, t->cond_slot));
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
	cg_look_key(cg, act->looks[i], (struct place){ at.reg, at.off + 8 }, end);
	as_mov(cg->as, R7, R0);
	as_note(cg->as, act->loc, "part: it begins");
	if (is_lane(row->split, t->part))
		lane_change(cg, row, t->part, true);
	else
		stack_push(cg, row, t->part, deep);
	as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_ADD, R7, time_off(row, t->part) + 8, R1);
	as_load(cg->as, 8, R0, R7, slot_off(row, row->split->generation));
	as_store(cg->as, 8, at.reg, at.off, R0);
	as_jump(cg->as, end);
	as_bind(cg->as, deep);
	as_jump(cg->as, cg_count_then(cg, row->split->c_deep, end));
	as_bind(cg->as, end);
}

void cg_tickets_take(struct cg *cg, const struct p_action *act, struct place record)
{
	for (int i = 0; i < act->period->tickets.n; i++)
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
		as_load(cg->as, 8, R0, R7, slot_off(t->row, t->row->split->generation));
		as_load(cg->as, 8, R1, R8, (int)t->off);
		as_jump_if(cg->as, BPF_JNE, R0, R1, end);
		if (is_lane(t->row->split, t->part))
			lane_change(cg, t->row, t->part, false);
		else
			stack_pop(cg, t->row, t->part, end);
		as_bind(cg->as, end);
	}
}

/* ---- state ---- */

/*
 * A function's call inside another: its states are the outer's, too, which took all of
 * it for running, as a thread is where a call begins and ends.
 *
 *	R7 = lookup(rows, R8->before);
 *	for (states but running) { R7->time += time; R7->count += count; running -= time; }
 *	R7->count[running] += count[running] - 1
 */
void cg_split_outer(struct cg *cg, const struct p_period *p)
{
	as_label none = as_new_label(cg->as);
	int off = (int)p->thread_off;

	if (!p->split->state || !p->by_thread)
		return;
	as_note(cg->as, p->loc, "split: the same of the call that this was in");
	as_load(cg->as, 8, R1, R8, off + 8);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, none);
	cg_find(cg, cg->state->period_map[p->id], (struct place){ R8, off + 16 }, none);
	as_mov(cg->as, R7, R0);
	as_load(cg->as, 8, R3, R7, time_off(p, 0));
	for (int i = 0; i < p->split->n_parts; i++)
		for (int at = time_off(p, i); at <= time_off(p, i) + 8; at += 8) {
			bool is_time = at == time_off(p, i);

			if (!i && is_time)
				continue;
			as_load(cg->as, 8, R1, R8, at);
			if (!i)
				as_alu_imm(cg->as, BPF_SUB, R1, 1);
			else if (is_time)
				as_alu(cg->as, BPF_SUB, R3, R1);
			as_load(cg->as, 8, R2, R7, at);
			as_alu(cg->as, BPF_ADD, R2, R1);
			as_store(cg->as, 8, R7, at, R2);
		}
	as_store(cg->as, 8, R7, time_off(p, 0), R3);
	as_bind(cg->as, none);
}

/*
 *	new = state; R7 = lookup(rows, thread);
 *	if (woken && old is running) goto done;
 *	time[old] += now; time[new] -= now; count[new]++; depth = new + 1
 */
void cg_state_change(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	int key = cg_frame(cg, 8), state = cg_frame(cg, 8);
	int depth = slot_off(p, p->split->depth);

	cg_word(cg, act->keys[0], done);
	as_store(cg->as, 8, R10, key, R0);
	cg_look_thread(cg, p, (struct place){ R10, key }, done);
	as_mov(cg->as, R7, R0);
	cg_word(cg, act->state, done);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	as_jump_if_imm(cg->as, BPF_JGT, R0, p->split->n_parts, done);
	as_store(cg->as, 8, R10, state, R0);
	as_load(cg->as, 8, R1, R7, depth);
	if (act->woken)
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 1, done);
	as_jump_if(cg->as, BPF_JEQ, R1, R0, done);
	stack_time(cg, p, false);
	as_load(cg->as, 8, R1, R10, state);
	as_store(cg->as, 8, R7, depth, R1);
	stack_time(cg, p, true);
	as_load(cg->as, 8, R1, R10, state);
	part_address(cg, p, done);
	as_load(cg->as, 8, R1, R2, time_off(p, 0) + 8);
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R2, time_off(p, 0) + 8, R1);
}

/* ---- the row ---- */

static void store_word(struct cg *cg, struct place record, int off)
{
	as_store(cg->as, 8, record.reg, record.off + off, R0);
}

void cg_split_begin(struct cg *cg, const struct p_period *p, struct place record)
{
	const struct p_split *s = p->split;

	cg_global_address(cg, R1, s->global);
	as_imm(cg->as, R0, 1);
	as_atomic(cg->as, BPF_ADD | BPF_FETCH, R1, 0, R0);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
	store_word(cg, record, slot_off(p, s->generation));
	if (s->state) {
		cg_now(cg);
		as_neg(cg->as, R0);
		store_word(cg, record, time_off(p, 0));
		as_imm(cg->as, R0, 1);
		store_word(cg, record, time_off(p, 0) + 8);
		store_word(cg, record, slot_off(p, s->depth));
		return;
	}
	as_alu_imm(cg->as, BPF_AND, R0, 127);
	as_alu_imm(cg->as, BPF_OR, R0, 128);
	as_alu_imm(cg->as, BPF_LSH, R0, 8);
	as_alu_imm(cg->as, BPF_OR, R0, OPEN_NONE);
	as_alu_imm(cg->as, BPF_LSH, R0, SUM_BITS);
	for (int i = 0; i < s->n_parts; i++)
		if (is_lane(s, i))
			store_word(cg, record, time_off(p, i));
	if (s->covered >= 0)
		store_word(cg, record, slot_off(p, s->covered));
}

/* taken = xchg(&word, 0) */
static void take_word(struct cg *cg, int off, struct place to)
{
	as_imm(cg->as, R0, 0);
	as_atomic(cg->as, BPF_XCHG, R8, off, R0);
	as_store(cg->as, 8, to.reg, to.off, R0);
}

struct place cg_split_take(struct cg *cg, const struct p_period *p)
{
	const struct p_split *s = p->split;
	struct place taken = cg_room(cg, 8 * (s->n_parts + 1));

	for (int i = 0; i < s->n_parts; i++)
		if (is_lane(s, i))
			take_word(cg, time_off(p, i), (struct place){ taken.reg, taken.off + 8 * i });
	if (s->covered >= 0)
		take_word(cg, slot_off(p, s->covered),
			  (struct place){ taken.reg, taken.off + 8 * s->n_parts });
	return taken;
}

/* R1 = what the word R1 says, cut at R0 = now and to 0 .. duration; clobbers R2 R3 */
static void word_time(struct cg *cg)
{
	as_label closed = as_new_label(cg->as), fits = as_new_label(cg->as);
	as_label small = as_new_label(cg->as);

	as_mov(cg->as, R2, R1);
	as_alu_imm(cg->as, BPF_RSH, R2, SUM_BITS);
	as_alu_imm(cg->as, BPF_AND, R2, 255);
	as_jump_if_imm(cg->as, BPF_JLE, R2, OPEN_NONE, closed);
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

/* R1 = the smaller of it and the frame's word */
static void at_most(struct cg *cg, int off)
{
	as_label fits = as_new_label(cg->as);

	as_load(cg->as, 8, R2, R10, off);
	as_jump_if(cg->as, BPF_JLE, R1, R2, fits);
	as_mov(cg->as, R1, R2);
	as_bind(cg->as, fits);
}

/* The innermost part, or the state, is cut at the row's end. */
static void cut_stack(struct cg *cg, const struct p_period *p)
{
	const struct p_split *s = p->split;
	as_label end = as_new_label(cg->as), found = as_new_label(cg->as);
	int stack = slot_off(p, s->stack);

	as_load(cg->as, 8, R1, R8, slot_off(p, s->depth));
	for (int i = PART_STACK; !s->state && i > 0; i--) {
		as_label next = as_new_label(cg->as);

		as_jump_if_imm(cg->as, BPF_JNE, R1, i, next);
		as_load(cg->as, 1, R1, R8, stack + i - 1);
		as_jump(cg->as, found);
		as_bind(cg->as, next);
	}
	as_bind(cg->as, found);
	for (int i = 0; i < s->n_parts; i++) {
		as_label next = as_new_label(cg->as);

		if (is_lane(s, i))
			continue;
		as_jump_if_imm(cg->as, BPF_JNE, R1, i + 1, next);
		as_load(cg->as, 8, R2, R8, time_off(p, i));
		as_alu(cg->as, BPF_ADD, R2, R0);
		as_store(cg->as, 8, R8, time_off(p, i), R2);
		as_jump(cg->as, end);
		as_bind(cg->as, next);
	}
	as_bind(cg->as, end);
}

/*
 *	left = duration;
 *	for parts of the stack: left -= time = min(time, left)
 *	for the others: time = word's
 *	other = duration - covered; overlap = all times - covered
 */
void cg_split_end(struct cg *cg, const struct p_period *p, struct place taken)
{
	const struct p_split *s = p->split;
	int left = cg_frame(cg, 8), sum = cg_frame(cg, 8);

	as_note(cg->as, p->loc, "split: the times of its parts");
	cg_now(cg);
	cut_stack(cg, p);
	as_load(cg->as, 8, R1, R10, cg->state->duration_off);
	as_store(cg->as, 8, R10, left, R1);
	as_store_imm(cg->as, 8, R10, sum, 0);
	for (int i = 0; i < s->n_parts; i++) {
		if (is_lane(s, i)) {
			as_load(cg->as, 8, R1, taken.reg, taken.off + 8 * i);
			word_time(cg);
		} else {
			as_load(cg->as, 8, R1, R8, time_off(p, i));
			at_most(cg, left);
			as_load(cg->as, 8, R2, R10, left);
			as_alu(cg->as, BPF_SUB, R2, R1);
			as_store(cg->as, 8, R10, left, R2);
		}
		as_store(cg->as, 8, R8, time_off(p, i), R1);
		as_load(cg->as, 8, R2, R10, sum);
		as_alu(cg->as, BPF_ADD, R2, R1);
		as_store(cg->as, 8, R10, sum, R2);
	}
	if (s->covered >= 0) {
		as_load(cg->as, 8, R1, taken.reg, taken.off + 8 * s->n_parts);
		word_time(cg);
		at_most(cg, sum);
	} else {
		as_load(cg->as, 8, R1, R10, sum);
	}
	if (s->overlap >= 0) {
		as_load(cg->as, 8, R2, R10, sum);
		as_alu(cg->as, BPF_SUB, R2, R1);
		as_store(cg->as, 8, R8, slot_off(p, s->overlap), R2);
	}
	if (s->other >= 0) {
		as_load(cg->as, 8, R2, R10, cg->state->duration_off);
		as_alu(cg->as, BPF_SUB, R2, R1);
		as_store(cg->as, 8, R8, slot_off(p, s->other), R2);
	}
}
