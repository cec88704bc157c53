/*
 * Periods: the begin is kept, the end finds it.
 *
 * A record is a u64 that is not 0 while the period is open (the begin's time
 * where it is needed), a u64 of valid bits where a slot may be none, and the
 * slots (plan/layout.c). It is in the task's storage, in a table by key or in
 * the CPU's own one record: enum store.
 *
 * An end takes the record away before its rows are made, so that a begin that
 * comes meanwhile is kept: task storage is marked closed, a table's record is
 * copied and deleted (its memory may be another's at once).
 */
#include "bpf/cg_period.h"
#include "bpf/cg_expr.h"
#include "bpf/cg_field.h"
#include "bpf/cg_map.h"
#include "bpf/cg_sink.h"
#include "bpf/cg_split.h"
#include "bpf/cg_state.h"

#include <errno.h>


static int period_map(const struct cg *cg, const struct p_period *p)
{
	return cg->state->period_map[p->id];
}

/* ---- what is kept ---- */

static void keep_slot(struct cg *cg, const struct px *e, struct place record,
		      const struct p_period *p, int i)
{
	const struct p_slot *slot = &p->slots.v[i];
	struct place at = { record.reg, record.off + (int)slot->off };
	struct place mask = { record.reg, record.off + (int)p->mask_off };
	as_label none = as_new_label(cg->as);
	struct mark m = cg_mark(cg);

	as_note(cg->as, e->loc, "begin: keep this");
	cg_value(cg, e, at, &slot->type, none);
	if (e->may_none) {
		as_imm(cg->as, R1, 1ll << i);
		as_load(cg->as, 8, R0, mask.reg, mask.off);
		as_alu(cg->as, BPF_OR, R0, R1);
		as_store(cg->as, 8, mask.reg, mask.off, R0);
	}
	as_bind(cg->as, none);
	cg_release(cg, m);
}

/* record = { time or 1, valid bits, slots }. The slots of a table's record are
 * all written, for the verifier: a helper reads them. */
static void keep_record(struct cg *cg, const struct p_action *act, struct place record,
			bool whole)
{
	const struct p_period *p = act->period;
	int64_t valid = 0;

	cg->state->in_begin = true;
	for (int i = 0; i < p->slots.n; i++) {
		const struct px *e = act->slots ? act->slots[i] : NULL;

		if (e && !e->may_none)
			valid |= 1ll << i;
		else if (whole && !p->slots.v[i].unread)
			cg_zero(cg, (struct place){ record.reg, record.off +
						    (int)p->slots.v[i].off },
				cg_value_bytes(&p->slots.v[i].type));
	}
	if (p->slot_mask) {
		as_imm(cg->as, R0, valid);
		as_store(cg->as, 8, record.reg, record.off + (int)p->mask_off, R0);
	}
	for (int i = 0; i < p->slots.n; i++)
		if (act->slots && act->slots[i])
			keep_slot(cg, act->slots[i], record, p, i);
	cg->state->in_begin = false;
	if (p->many_calls) {
		cg_syscall_number(cg);
		as_store(cg->as, 8, record.reg, record.off + (int)p->number_off, R0);
	}
	as_note(cg->as, act->loc, "begin: keep the time");
	if (p->needs_time)
		cg_now(cg);
	else
		as_imm(cg->as, R0, 1);
	as_store(cg->as, 8, record.reg, record.off, R0);
}

static void emit_keys(struct cg *cg, const struct p_action *act, struct place key, as_label none)
{
	cg_keys(cg, act->keys, act->period->key_types, act->period->n_keys, key, none);
}

/* ---- task storage, and the CPU's record ---- */

/* R0 = bpf_task_storage_get(map, task, NULL, flags); none when there is no task */
static void storage_get(struct cg *cg, const struct p_action *act, int flags, as_label none)
{
	cg_word(cg, act->task, none);
	cg_storage(cg, period_map(cg, act->period), R0, flags);
}

static void get_place(struct cg *cg, const struct p_action *act, int flags, as_label none)
{
	if (act->period->store == STORE_TASK)
		storage_get(cg, act, flags, none);
	else
		cg_cpu_row(cg, period_map(cg, act->period));
}

/*
 *	r = get(create);
 *	if (!r) { dropped++; goto done; }
 *	if (r->open) keep first: goto done; keep last: restarted++;
 *	*r = { ... };
 */
static void begin_in_place(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	as_label fresh = as_new_label(cg->as);

	as_note(cg->as, act->loc, p->store == STORE_TASK ? "begin: the thread's own record" :
				  "begin: the CPU's own record");
	get_place(cg, act, BPF_LOCAL_STORAGE_GET_F_CREATE, done);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, cg_count_then(cg, p->c_dropped, done));
	as_mov(cg->as, R8, R0);
	if (p->tickets.n && p->keep == KEEP_LAST) {
		as_load(cg->as, 8, R1, R8, 0);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, fresh);
		cg_tickets_leave(cg, p);
		cg_count(cg, p->c_restarted);
	} else if (p->keep == KEEP_FIRST || p->c_restarted >= 0) {
		as_load(cg->as, 8, R1, R8, 0);
		as_jump_if_imm(cg->as, BPF_JNE, R1, 0, p->keep == KEEP_FIRST ? done :
			       cg_count_then(cg, p->c_restarted, fresh));
	}
	as_bind(cg->as, fresh);
	if (p->tree) {
		int left = cg_frame(cg, 8);	/* a begin whose end was never seen */

		as_load(cg->as, 8, R1, R8, 0);
		as_store(cg->as, 8, R10, left, R1);
		cg_tree_begin(cg, p, (struct place){ R8, 0 }, left);
		cg_frame_free(cg, 8);
	}
	keep_record(cg, act, (struct place){ R8, 0 }, false);
	cg_tickets_take(cg, act, (struct place){ R8, 0 });
}

/* Where an end goes that finds no begin: a via without one is no anomaly. */
static as_label unmatched(struct cg *cg, const struct p_action *act, as_label none)
{
	return act->kind == ACT_END ? cg_count_then(cg, act->period->c_unmatched, none) : none;
}

/* Goes on where reg is not 0. Else there is no begin: it never had one, or `otherwise`. */
static void need_begin(struct cg *cg, const struct p_action *act, int reg, as_label otherwise,
		       as_label none)
{
	as_label found;

	if (!act->denied) {
		as_jump_if_imm(cg->as, BPF_JEQ, reg, 0, otherwise);
		return;
	}
	found = as_new_label(cg->as);
	as_jump_if_imm(cg->as, BPF_JNE, reg, 0, found);
	cg_jump_when(cg, act->denied, false, otherwise);
	cg_count(cg, act->period->c_denied);
	as_jump(cg->as, none);
	as_bind(cg->as, found);
}

/* A begin of another call has lost its end: it stays open until the next begins. */
static void need_same_call(struct cg *cg, const struct p_action *act, as_label none)
{
	const struct p_period *p = act->period;

	if (!p->many_calls)
		return;
	cg_syscall_number(cg);
	as_load(cg->as, 8, R1, R8, (int)p->number_off);
	as_jump_if(cg->as, BPF_JNE, R0, R1, unmatched(cg, act, none));
}

/* Of a thread's own begins: nothing is open any more. */
void cg_begin_left_out(struct cg *cg, const struct p_action *act)
{
	const struct p_period *p = act->period;
	as_label none = as_new_label(cg->as);
	struct place key;

	cg->state->period = p;
	as_note(cg->as, act->loc, "begin: one that is left out ends what is open");
	if (p->store == STORE_HASH) {
		key = (struct place){ R10, cg_frame(cg, (int)p->key_bytes) };
		emit_keys(cg, act, key, none);
		cg_delete(cg, period_map(cg, p), key);
		as_jump_if_imm(cg->as, BPF_JNE, R0, 0, none);
	} else {
		get_place(cg, act, 0, none);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
		as_load(cg->as, 8, R1, R0, 0);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, none);
		as_store_imm(cg->as, 8, R0, 0, 0);
	}
	if (p->c_restarted >= 0)
		cg_count(cg, p->c_restarted);
	as_bind(cg->as, none);
}

/* Jumps to none when there is no begin; else R8 is the record, still open. */
static void find_in_place(struct cg *cg, const struct p_action *act, as_label none)
{
	get_place(cg, act, 0, none);
	need_begin(cg, act, R0, none, none);
	as_mov(cg->as, R8, R0);
	as_load(cg->as, 8, R1, R8, 0);
	need_begin(cg, act, R1, unmatched(cg, act, none), none);
	need_same_call(cg, act, none);
}

static void take_in_place(struct cg *cg)
{
	as_store_imm(cg->as, 8, R8, 0, 0);
}

/* ---- table by key ---- */

static void table_update(struct cg *cg, const struct p_period *p, struct place key,
			 struct place record, int flags)
{
	cg_update(cg, period_map(cg, p), key, record, flags);
}

/* Do those of a thread end in any order? */
static bool is_linked(const struct p_period *p)
{
	return p->by_thread && !p->is_call;
}

/* The one that is open under this key ends where the new one begins. left: in the frame, for trees. */
static void leave_old(struct cg *cg, const struct p_action *act, struct place key, int left, as_label done)
{
	const struct p_period *p = act->period;
	as_label none = as_new_label(cg->as);

	cg_find(cg, period_map(cg, p), key, none);
	if (p->keep == KEEP_FIRST)
		as_jump(cg->as, done);
	as_mov(cg->as, R8, R0);
	if (p->tree)
		cg_tree_leave(cg, p, left);
	cg_tickets_leave(cg, p);
	if (is_linked(p))
		cg_thread_leave(cg, act, key);
	if (p->in_flight) {
		cg_flight_leave(cg, p, (struct place){ R8, 0 });
		cg_delete(cg, period_map(cg, p), key);
		if (p->c_restarted >= 0)
			cg_count(cg, p->c_restarted);
	}
	as_bind(cg->as, none);
}

/*
 *	e = update(map, key, record, NOEXIST);
 *	if (e == -EEXIST) keep first: goto done;
 *			  keep last: restarted++, e = update(map, key, record, ANY);
 *	if (e) dropped++;
 */
static void begin_in_table(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	struct place key = cg_room(cg, (int)p->key_bytes);
	struct place record = cg_room(cg, (int)p->record_bytes);
	int left = p->tree ? cg_frame(cg, 8) : 0;
	/* With in_flight the one before is gone by now: it must not be counted beside this one. */
	bool simple = p->keep == KEEP_LAST && (p->c_restarted < 0 || p->in_flight);
	as_label full = cg_count_then(cg, p->c_dropped, done), kept = as_new_label(cg->as);
	as_label failed = p->tickets.n || p->tree || p->in_flight ? as_new_label(cg->as) : full;

	as_note(cg->as, act->loc, "begin: the key");
	emit_keys(cg, act, key, done);
	if (p->tree)
		as_store_imm(cg->as, 8, R10, left, 0);
	if (p->tickets.n || is_linked(p) || p->in_flight || p->tree)
		leave_old(cg, act, key, left, done);
	keep_record(cg, act, record, true);
	if (p->split)
		cg_split_begin(cg, p, record);
	cg_tickets_take(cg, act, record);
	if (p->tree) {
		cg_tree_left(cg, p, left, record);
		cg_tree_begin(cg, p, record, left);
		cg_frame_free(cg, 8);
	}
	if (p->by_thread)
		cg_thread_before(cg, act, key, record);
	as_note(cg->as, act->loc, "begin: into the table");
	table_update(cg, p, key, record, simple && !p->in_flight ? BPF_ANY : BPF_NOEXIST);
	if (simple) {
		as_jump_if_imm(cg->as, BPF_JNE, R0, 0, failed);
	} else {
		as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, kept);
		/* before 6.4 it is an int, and calls are patched to it: the upper half is zero */
		cg_extend(cg, 4, true);
		as_jump_if_imm(cg->as, BPF_JNE, R0, -EEXIST, failed);
		if (p->keep == KEEP_LAST) {
			table_update(cg, p, key, record, BPF_ANY);
			as_jump_if_imm(cg->as, BPF_JNE, R0, 0, failed);
			cg_count(cg, p->c_restarted);
		} else {
			cg_flight_leave(cg, p, record);
			as_jump(cg->as, done);
		}
	}
	if (failed != full) {
		as_jump(cg->as, kept);
		as_bind(cg->as, failed);
		cg_flight_leave(cg, p, record);
		cg_addr(cg, R8, record);
		cg_tickets_leave(cg, p);
		if (p->tree)
			cg_tree_lost(cg, p);
		as_jump(cg->as, full);
	}
	as_bind(cg->as, kept);
	if (p->by_thread)
		cg_thread_enter(cg, act, key, record, done);
}

static void find_in_table(struct cg *cg, const struct p_action *act, struct place key,
			  as_label none)
{
	emit_keys(cg, act, key, none);
	as_note(cg->as, act->loc, "end: find the begin");
	cg_lookup(cg, period_map(cg, act->period), key);
	need_begin(cg, act, R0, unmatched(cg, act, none), none);
	as_mov(cg->as, R8, R0);
	need_same_call(cg, act, none);
}

/* Copies the record and deletes it; who finds it deleted came second. */
static void take_from_table(struct cg *cg, const struct p_action *act, struct place key,
			    as_label done)
{
	const struct p_period *p = act->period;
	struct place copy = cg_room(cg, (int)p->record_bytes);

	cg_copy(cg, copy, (struct place){ R8, 0 }, (int)p->record_bytes);
	cg_delete(cg, period_map(cg, p), key);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, cg_count_then(cg, p->c_unmatched, done));
	cg_addr(cg, R8, copy);
}

/* ---- both ends ---- */

void cg_begin(struct cg *cg, const struct p_action *act, as_label done)
{
	cg->state->period = act->period;
	if (act->too_deep) {
		as_note(cg->as, act->loc, "begin: will the kernel show the return?");
		cg_jump_when(cg, act->too_deep, true, cg_count_then(cg, act->period->c_too_deep, done));
	}
	if (act->period->store == STORE_ELIDED) {
		cg_session_begun(cg);
	} else if (act->period->store == STORE_HASH) {
		begin_in_table(cg, act, done);
	} else if (act->period->store == STORE_COOKIE) {
		cg_begin_cookie(cg);
	} else if (act->period->store == STORE_CALLS) {
		cg_begin_calls(cg, act, done);
		keep_record(cg, act, (struct place){ R8, 0 }, false);
	} else {
		begin_in_place(cg, act, done);
	}
	cg->state->period = NULL;
}

/* What the row knows of its period, into the frame: the begin's time, the duration, the depth. */
static void measure(struct cg *cg, const struct p_period *p)
{
	struct cg_state *s = cg->state;

	if (p->needs_depth && p->store == STORE_HASH) {
		s->depth_off = cg_frame(cg, 8);
		as_load(cg->as, 8, R1, R8, (int)p->thread_off + 8);
		as_store(cg->as, 8, R10, s->depth_off, R1);
	}
	s->begin_off = s->duration_off = 0;
	if (!p->needs_time)
		return;
	s->begin_off = cg_frame(cg, 8);
	s->duration_off = cg_frame(cg, 8);
	as_load(cg->as, 8, R1, R8, 0);
	as_store(cg->as, 8, R10, s->begin_off, R1);
	cg_now(cg);
	as_load(cg->as, 8, R1, R10, s->begin_off);
	as_alu(cg->as, BPF_SUB, R0, R1);
	as_store(cg->as, 8, R10, s->duration_off, R0);
}

/* R8 = the record of this action's key, or none; its time and duration are measured. */
static void find(struct cg *cg, const struct p_action *act, struct place key, as_label none,
		 as_label done)
{
	as_note(cg->as, act->loc, "end: find the begin");
	if (act->period->store == STORE_HASH)
		find_in_table(cg, act, key, none);
	else if (act->period->store == STORE_COOKIE)
		cg_find_cookie(cg);
	else if (act->period->store == STORE_CALLS)
		cg_find_calls(cg, act, done);
	else
		find_in_place(cg, act, none);
	measure(cg, act->period);
	if (act->record_guard) {
		as_note(cg->as, act->record_guard->loc, "end: which ones");
		cg_jump_when(cg, act->record_guard, false, done);
	}
}

static struct place key_room(struct cg *cg, const struct p_period *p)
{
	return p->store == STORE_HASH ? cg_room(cg, (int)p->key_bytes) : (struct place){ R10, 0 };
}

/*
 * The slots of the last via are overwritten, in the record itself: a valid bit says
 * whether there was one.
 */
void cg_via(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	int64_t mine = 0, valid = 0;

	if (!p->slot_mask)
		return;
	cg->state->period = p;
	find(cg, act, key_room(cg, p), done, done);
	for (int i = 0; i < p->slots.n; i++) {
		const struct px *e = act->slots[i];

		mine |= p->slots.v[i].of_via ? 1ll << i : 0;
		valid |= e && !e->may_none ? 1ll << i : 0;
	}
	as_note(cg->as, act->loc, "via: keep this");
	as_load(cg->as, 8, R0, R8, (int)p->mask_off);
	as_imm(cg->as, R1, ~mine);
	as_alu(cg->as, BPF_AND, R0, R1);
	as_imm(cg->as, R1, valid);
	as_alu(cg->as, BPF_OR, R0, R1);
	as_store(cg->as, 8, R8, (int)p->mask_off, R0);
	cg->state->in_begin = true;
	for (int i = 0; i < p->slots.n; i++)
		if (act->slots[i])
			keep_slot(cg, act->slots[i], (struct place){ R8, 0 }, p, i);
	cg->state->in_begin = false;
	cg->state->period = NULL;
}

void cg_exit(struct cg *cg, const struct p_action *act, as_label done)
{
	struct place key;

	if (act->period->by_thread) {
		cg_thread_exit(cg, act, done);
		return;
	}
	if (act->period->store == STORE_CALLS) {
		cg_exit_calls(cg, act, done);
		return;
	}
	key = key_room(cg, act->period);
	emit_keys(cg, act, key, done);
	if (act->period->in_flight) {
		cg_find(cg, period_map(cg, act->period), key, done);
		as_mov(cg->as, R8, R0);
		cg_flight_leave(cg, act->period, (struct place){ R8, 0 });
	}
	cg_delete(cg, period_map(cg, act->period), key);
}

/* The record goes from the thread's old number to its new one. */
void cg_move(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	struct place copy = cg_room(cg, (int)p->record_bytes), key = key_room(cg, p);

	emit_keys(cg, act, key, done);
	cg_find(cg, period_map(cg, p), key, done);
	as_mov(cg->as, R8, R0);
	cg_copy(cg, copy, (struct place){ R8, 0 }, (int)p->record_bytes);
	cg_delete(cg, period_map(cg, p), key);
	cg_keys(cg, (struct px *[]){ act->thread }, p->key_types, 1, key, done);
	table_update(cg, p, key, copy, BPF_ANY);
}

void cg_open_row(struct cg *cg, const struct p_action *act)
{
	cg->state->period = act->period;
	as_mov(cg->as, R8, R6);
	measure(cg, act->period);
	cg_branches(cg, act);
	cg->state->period = NULL;
}

/*
 * An end whose begin was not seen makes a row all the same. R8 = a record of which nothing
 * is valid; the frame says that there is no time of a begin.
 */
static void end_alone(struct cg *cg, const struct p_action *act, struct place nothing, as_label done)
{
	const struct p_period *p = act->period;

	as_note(cg->as, act->loc, "end: its begin was not seen");
	if (cg->plan->watches) {
		cg_global_address(cg, R1, cg->plan->g_watching);
		as_load(cg->as, 8, R1, R1, 0);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, done);
	}
	if (act->alone_guard)
		cg_jump_when(cg, act->alone_guard, false, done);
	if (p->needs_time)
		as_store_imm(cg->as, 8, R10, cg->state->begin_off, 0);
	if (p->slot_mask) {
		as_store_imm(cg->as, 8, nothing.reg, nothing.off + (int)p->mask_off, 0);
		cg_addr(cg, R8, nothing);
	}
}

void cg_end(struct cg *cg, const struct p_action *act, as_label done)
{
	const struct p_period *p = act->period;
	struct place key, taken = { R10, 0 }, nothing;
	as_label left_out = as_new_label(cg->as), alone = as_new_label(cg->as), row = as_new_label(cg->as);

	if (!p || p->store == STORE_ELIDED) {
		cg_branches(cg, act);
		return;
	}
	cg->state->period = p;
	key = key_room(cg, p);
	nothing = (struct place){ R10, act->alone && p->slot_mask ? cg_frame(cg, (int)p->mask_off + 8) : 0 };
	find(cg, act, key, act->alone ? alone : done, done);
	if (p->split)
		taken = cg_split_take(cg, p);
	as_note(cg->as, act->loc, "end: take the begin away");
	if (p->store == STORE_HASH)
		take_from_table(cg, act, key, done);
	else if (p->store == STORE_TASK || p->store == STORE_CPU)
		take_in_place(cg);
	if (p->by_thread)
		cg_thread_leave(cg, act, key);
	cg_flight_leave(cg, p, (struct place){ R8, 0 });
	if (p->split) {
		cg_split_end(cg, p, taken);
		cg_split_outer(cg, p);
	}
	cg_tickets_leave(cg, p);
	if (p->tree)
		cg_tree_end(cg, p, left_out);
	if (act->alone) {
		as_jump(cg->as, row);
		as_bind(cg->as, alone);
		end_alone(cg, act, nothing, done);
	}
	as_bind(cg->as, row);
	cg_branches(cg, act);
	if (p->tree)
		cg_tree_close(cg, p);
	as_bind(cg->as, left_out);
	if (p->store == STORE_CALLS)
		cg_take_calls(cg);
	cg->state->period = NULL;
}
