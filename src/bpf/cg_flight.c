/*
 * in_flight(KEY): of a period's begin, how many of the same KEY are open, it among them.
 *
 * A table counts by KEY. The begin adds 1, and keeps the KEY and the number that it got. Whoever takes the
 * record away, or does not put it into the table after all, takes the 1 away, so that the count is
 * that of the records that are there.
 */
#include "bpf/cg_map.h"
#include "bpf/cg_period.h"
#include "bpf/cg_state.h"

#define KEYS_MOST 4096

int cg_flight_map(struct cg *cg, const struct p_period *p)
{
	return cg_add_map(cg, (struct img_map){
		.name = "in_flight", .type = BPF_MAP_TYPE_HASH, .key_bytes = 8, .value_bytes = 8,
		.max_entries = KEYS_MOST, .period = p, .by_thread = true,
		.purpose = arena_printf(cg->arena, "how many of %s are open, by key", p->name) });
}

/*
 *	count = lookup(counts, key);
 *	if (!count) { update(counts, key, 0, NOEXIST); count = lookup(counts, key); }
 *	R0 = fetch_add(count, 1) + 1;
 */
void cg_in_flight(struct cg *cg, const struct px *e, as_label none)
{
	int map = cg->state->flight_map[cg->state->period->id];
	struct place key = { R10, cg_frame(cg, 8) }, zero = { R10, cg_frame(cg, 8) };
	as_label fresh = as_new_label(cg->as), found = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	as_store(cg->as, 8, R10, key.off, R0);
	cg_find(cg, map, key, fresh);
	as_jump(cg->as, found);
	as_bind(cg->as, fresh);
	as_store_imm(cg->as, 8, R10, zero.off, 0);
	cg_update(cg, map, key, zero, BPF_NOEXIST);
	cg_find(cg, map, key, none);
	as_bind(cg->as, found);
	as_imm(cg->as, R1, 1);
	as_atomic(cg->as, BPF_ADD | BPF_FETCH, R0, 0, R1);
	as_mov(cg->as, R0, R1);
	as_alu_imm(cg->as, BPF_ADD, R0, 1);
}

void cg_flight_leave(struct cg *cg, const struct p_period *p, struct place record)
{
	struct place key = { R10, 0 };
	as_label end;
	struct mark m;

	if (!p->in_flight || p->slots.v[p->flight_slot].unread)
		return;
	end = as_new_label(cg->as);
	m = cg_mark(cg);
	key.off = cg_frame(cg, 8);
	as_note(cg->as, p->loc, "one less is open");
	as_load(cg->as, 8, R0, record.reg, record.off + (int)p->mask_off);
	as_imm(cg->as, R1, (int64_t)(1ull << p->flight_slot));
	as_alu(cg->as, BPF_AND, R0, R1);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_load(cg->as, 8, R0, record.reg, record.off + (int)p->slots.v[p->flight_key].off);
	as_store(cg->as, 8, R10, key.off, R0);
	cg_find(cg, cg->state->flight_map[p->id], key, end);
	as_imm(cg->as, R1, -1);
	as_atomic(cg->as, BPF_ADD, R0, 0, R1);
	as_bind(cg->as, end);
	cg_release(cg, m);
}
