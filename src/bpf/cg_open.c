/*
 * A period that is open at an event, whoever began it: for `in`, and for what
 * is a part of it. In its thread's storage, by its key, or of a keyed one by the
 * thread of its begin (cg_thread.c).
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_state.h"

static struct place emit_keys(struct cg *cg, const struct p_look *look, as_label none)
{
	const struct p_period *p = look->period;
	bool thread = p->by_thread && !look->by_key;
	struct place key = cg_room(cg, thread ? 8 : (int)p->key_bytes);

	cg_keys(cg, look->keys, thread ? &type_int : p->key_types, thread ? 1 : p->n_keys, key, none);
	return key;
}

void cg_open_find_last(struct cg *cg, const struct p_period *p, struct place thread, as_label none)
{
	int map = cg->state->period_map[p->id];

	if (!p->by_thread) {
		cg_find(cg, map, thread, none);
		return;
	}
	cg_find(cg, cg->state->thread_map[p->id], thread, none);
	cg_find(cg, map, (struct place){ R0, 0 }, none);
	/* the key may be another thread's by now */
	as_load(cg->as, 8, R1, R0, (int)p->thread_off);
	as_load(cg->as, 8, R2, thread.reg, thread.off);
	as_jump_if(cg->as, BPF_JNE, R1, R2, none);
}

void cg_open_find(struct cg *cg, const struct p_look *look, as_label none)
{
	const struct p_period *p = look->period;
	int map = cg->state->period_map[p->id];
	struct mark m = cg_mark(cg);
	struct place key;

	as_note(cg->as, p->loc, "is it open?");
	if (p->store == STORE_TASK) {
		cg_word(cg, look->task, none);
		cg_storage(cg, map, R0, 0);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
		as_load(cg->as, 8, R1, R0, 0);
		as_jump_if_imm(cg->as, BPF_JEQ, R1, 0, none);
		return;
	}
	key = emit_keys(cg, look, none);
	if (look->by_key)
		cg_find(cg, map, key, none);
	else
		cg_open_find_last(cg, p, key, none);
	cg_release(cg, m);
}

void cg_open_find_key(struct cg *cg, const struct p_look *look, struct place to, as_label none)
{
	const struct p_period *p = look->period;
	int map = cg->state->period_map[p->id];
	struct mark m = cg_mark(cg);
	struct place thread = { R10, cg_frame(cg, 8) };

	cg_word(cg, look->keys[0], none);
	as_store(cg->as, 8, thread.reg, thread.off, R0);
	if (p->by_thread) {
		cg_find(cg, cg->state->thread_map[p->id], thread, none);
		as_mov(cg->as, R1, R0);
		cg_copy(cg, to, (struct place){ R1, 0 }, (int)p->key_bytes);
	} else {
		as_store(cg->as, 8, to.reg, to.off, R0);
	}
	cg_find(cg, map, to, none);
	if (p->by_thread) {
		as_load(cg->as, 8, R1, R0, (int)p->thread_off);
		as_load(cg->as, 8, R2, thread.reg, thread.off);
		as_jump_if(cg->as, BPF_JNE, R1, R2, none);
	}
	cg_release(cg, m);
}

/* ---- expressions ---- */

void cg_open_is(struct cg *cg, const struct px *e, as_label none)
{
	cg_open_find(cg, e->look, none);
	as_imm(cg->as, R0, 1);
}

void cg_open_time(struct cg *cg, const struct px *e, as_label none)
{
	cg_open_find(cg, e->look, none);
	as_load(cg->as, 8, R0, R0, 0);
}

void cg_open_depth(struct cg *cg, const struct px *e, as_label none)
{
	cg_open_find(cg, e->look, none);
	as_load(cg->as, 8, R0, R0, (int)e->look->period->thread_off + 8);
}

/* R1 = the record; none when this slot is none */
static void open_slot(struct cg *cg, const struct px *e, as_label none)
{
	const struct p_period *p = e->look->period;

	cg_open_find(cg, e->look, none);
	as_mov(cg->as, R1, R0);
	if (!p->slots.v[e->index].may_none)
		return;
	as_load(cg->as, 8, R0, R1, (int)p->mask_off);
	as_imm(cg->as, R2, (int64_t)(1ull << e->index));
	as_alu(cg->as, BPF_AND, R0, R2);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

void cg_open_slot(struct cg *cg, const struct px *e, as_label none)
{
	open_slot(cg, e, none);
	as_load(cg->as, 8, R0, R1, (int)e->look->period->slots.v[e->index].off);
}

/* What the slot's marks say is lost here: an absent text is none. */
void cg_open_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		  as_label none)
{
	const struct p_slot *slot = &e->look->period->slots.v[e->index];
	int bytes = cg_round8(slot->type.bytes);

	if (bytes > room)
		bytes = room;
	open_slot(cg, e, none);
	cg_copy(cg, at, (struct place){ R1, (int)slot->off }, bytes);
	if (e->type.kind == TY_STRING) {
		as_load(cg->as, 1, R0, at.reg, at.off);
		as_jump_if_imm(cg->as, BPF_JEQ, R0, STRING_ABSENT, none);
		as_store_imm(cg->as, 1, at.reg, at.off + bytes - 1, 0);
	}
	if (pad && bytes < room)
		cg_zero(cg, (struct place){ at.reg, at.off + bytes }, room - bytes);
}
