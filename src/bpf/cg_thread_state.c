/*
 * split state: where the state of a row's thread changes. The states are parts of the row
 * (cg_split.c), one of which has the time. R7 is the row's record in the table.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_split.h"
#include "bpf/cg_state.h"

/*
 * A function's call inside another: its states are the outer's, too, which took all of
 * it for running, as a thread is where a call begins and ends. An outer one that is in another
 * state, as a wait for a lock, took it for that.
 *
 *	R7 = lookup(rows, R8->before);
 *	if (R7->state is not running) goto none;
 *	for (states but running) { R7->time += time; R7->count += count; running -= time; }
 *	R7->count[running] += count[running] - 1
 */
void cg_split_outer(struct cg *cg, const struct p_period *p)
{
	as_label none = as_new_label(cg->as);
	int off = (int)p->thread_off, running = p->split->n_own;

	if (running == p->split->n_parts || !p->by_thread)
		return;
	as_note(cg->as, p->loc, "split: the same of the call that this was in");
	as_load(cg->as, 8, R1, R8, off + 8);
	as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, none);
	cg_find(cg, cg->state->period_map[p->id], (struct place){ R8, off + 16 }, none);
	as_mov(cg->as, R7, R0);
	as_load(cg->as, 8, R1, R7, cg_split_slot_off(p, p->split->state));
	as_jump_if_imm(cg->as, BPF_JNE, R1, running + 1, none);
	as_load(cg->as, 8, R3, R7, cg_split_time_off(p, running));
	for (int i = running; i < p->split->n_parts; i++)
		for (int at = cg_split_time_off(p, i); at <= cg_split_time_off(p, i) + 8; at += 8) {
			bool is_time = at == cg_split_time_off(p, i);

			if (i == running && is_time)
				continue;
			as_load(cg->as, 8, R1, R8, at);
			if (i == running)
				as_alu_imm(cg->as, BPF_SUB, R1, 1);
			else if (is_time)
				as_alu(cg->as, BPF_SUB, R3, R1);
			as_load(cg->as, 8, R2, R7, at);
			as_alu(cg->as, BPF_ADD, R2, R1);
			as_store(cg->as, 8, R7, at, R2);
		}
	as_store(cg->as, 8, R7, cg_split_time_off(p, running), R3);
	as_bind(cg->as, none);
}

/* Of one lock only: to `done` if the row waits for another. */
static void same_lock(struct cg *cg, const struct p_period *p, int lock, as_label done)
{
	as_load(cg->as, 8, R2, R10, lock);
	as_load(cg->as, 8, R3, R7, cg_split_slot_off(p, p->split->lock));
	as_jump_if(cg->as, BPF_JNE, R2, R3, done);
}

/* A wait for a lock is one, whatever the scheduler says; but who does not run does not spin. */
static void lock_may_change(struct cg *cg, const struct p_action *act, int lock, as_label done)
{
	const struct p_period *p = act->period;
	as_label change = as_new_label(cg->as), none = as_new_label(cg->as);
	bool begins = act->when == STATE_LOCK_BEGINS;

	as_jump_if_imm(cg->as, BPF_JLE, R1, p->split->locks, none);
	if (begins)
		same_lock(cg, p, lock, done);
	else if (act->when == STATE_WOKEN)
		as_jump(cg->as, done);
	else
		as_imm(cg->as, R0, p->split->locks + 1);
	as_jump(cg->as, change);
	as_bind(cg->as, none);
	if (begins) {
		as_load(cg->as, 8, R2, R10, lock);
		as_store(cg->as, 8, R7, cg_split_slot_off(p, p->split->lock), R2);
	}
	as_bind(cg->as, change);
}

static void lock_ends(struct cg *cg, const struct p_action *act, int lock, as_label done)
{
	as_jump_if_imm(cg->as, BPF_JLE, R1, act->period->split->locks, done);
	same_lock(cg, act->period, lock, done);
}

/* What runs on top of what it was in, R1. No hard interrupt runs on top of another, no softirq on top of any. */
static void interrupted(struct cg *cg, const struct p_action *act, as_label done)
{
	int under = cg_split_slot_off(act->period, act->period->split->under);

	as_jump_if(cg->as, BPF_JGE, R1, R0, done);
	as_load(cg->as, 8, R2, R7, under);
	as_alu_imm(cg->as, BPF_LSH, R2, 8);
	as_alu(cg->as, BPF_OR, R2, R1);
	as_store(cg->as, 8, R7, under, R2);
}

static void goes_on(struct cg *cg, const struct p_action *act, as_label done)
{
	int under = cg_split_slot_off(act->period, act->period->split->under);

	as_jump_if(cg->as, BPF_JNE, R1, R0, done);
	as_load(cg->as, 8, R2, R7, under);
	as_mov(cg->as, R0, R2);
	as_alu_imm(cg->as, BPF_AND, R0, 0xff);
	as_alu_imm(cg->as, BPF_RSH, R2, 8);
	as_store(cg->as, 8, R7, under, R2);
}

/*
 * R1 = the state + 1 until now, R0 = the new one. To `done` unless this action changes it. What an
 * interrupt does is none of the thread's; a switch ends one whose end was lost, and softirqs of PREEMPT_RT.
 */
static void state_may_change(struct cg *cg, const struct p_action *act, int lock, as_label done)
{
	const struct p_split *s = act->period->split;
	as_label change = as_new_label(cg->as);

	if (act->when == STATE_INTERRUPTED) {
		interrupted(cg, act, done);
	} else if (act->when == STATE_GOES_ON) {
		goes_on(cg, act, done);
	} else {
		if (s->under >= 0)
			as_jump_if_imm(cg->as, BPF_JGT, R1, s->interrupts,
				       act->when == STATE_SWITCHED ? change : done);
		if (act->when == STATE_WOKEN)
			as_jump_if_imm(cg->as, BPF_JEQ, R1, s->n_own + 1, done);
		if (act->when == STATE_LOCK_ENDS)
			lock_ends(cg, act, lock, done);
		else if (s->lock >= 0)
			lock_may_change(cg, act, lock, done);
	}
	as_bind(cg->as, change);
}

/*
 *	new = state; R7 = lookup(rows, thread);
 *	if (woken && old is running) goto done;
 *	if (old is a wait for a lock and this is not its end) new = one, too, or goto done;
 *	time[old] += now; time[new] -= now; R7->state = new + 1
 *	if (it does not just go on) count[new]++
 */
void cg_state_change(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	int key = cg_frame(cg, 8), state = cg_frame(cg, 8), lock = 0;
	int now = cg_split_slot_off(p, p->split->state);

	if (act->lock) {
		lock = cg_frame(cg, 8);
		cg_word(cg, act->lock, done);
		cg_scalar(cg);
		as_store(cg->as, 8, R10, lock, R0);
	}
	cg_word(cg, act->keys[0], done);
	as_store(cg->as, 8, R10, key, R0);
	cg_open_find_last(cg, p, (struct place){ R10, key }, done);
	as_mov(cg->as, R7, R0);
	cg_word(cg, act->state, done);
	as_alu_imm(cg->as, BPF_ADD, R0, p->split->n_own + 1);
	as_jump_if_imm(cg->as, BPF_JGT, R0, p->split->n_parts, done);
	as_load(cg->as, 8, R1, R7, now);
	state_may_change(cg, act, lock, done);
	as_jump_if(cg->as, BPF_JEQ, R1, R0, done);
	as_store(cg->as, 8, R10, state, R0);
	cg_split_time(cg, p, false);
	as_load(cg->as, 8, R1, R10, state);
	as_store(cg->as, 8, R7, now, R1);
	cg_split_time(cg, p, true);
	if (act->when == STATE_GOES_ON)
		return;
	as_load(cg->as, 8, R1, R10, state);
	cg_split_part(cg, p, done);
	as_load(cg->as, 8, R1, R2, cg_split_time_off(p, 0) + 8);
	as_alu_imm(cg->as, BPF_ADD, R1, 1);
	as_store(cg->as, 8, R2, cg_split_time_off(p, 0) + 8, R1);
}
