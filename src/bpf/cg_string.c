/*
 * Strings and what is like them (arguments, paths, addresses): written to a
 * place of a known size, always ended by NUL. What was cut or could not be read
 * is counted in the query; what a begin keeps has no query yet, so it is marked
 * (STRING_CUT, STRING_ABSENT) and counted when the end uses it.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_field.h"
#include "bpf/cg_parts.h"
#include "bpf/cg_probe.h"
#include "bpf/cg_stack.h"
#include "bpf/cg_state.h"
#include "plan/func.h"

#include <string.h>

#define WORD 8

static const char absent_text[] = "<absent>";

static int query_counter(const struct cg *cg, bool cut)
{
	if (!cg->branch)
		return -1;
	return cut ? cg->branch->query->c_cut : cg->branch->query->c_absent;
}

/* The string at `at` could not be read. */
static void absent(struct cg *cg, struct place at, int room, bool counted)
{
	if (cg->state->in_begin) {
		as_imm(cg->as, R0, STRING_ABSENT);
		as_store(cg->as, WORD, at.reg, at.off, R0);
		return;
	}
	cg_put_text(cg, at, absent_text, sizeof(absent_text) - 1, room);
	if (counted)
		cg_count(cg, query_counter(cg, false));
}

/*
 * All `bytes` that are read are full: was there more? R0 = 1 if the byte at `addr` + bytes - 1 is
 * not NUL. The mark is the last byte of the room, which str(p, 5) does not fill.
 */
static void string_cut(struct cg *cg, uint8_t space, struct place at, int bytes, int room, int addr)
{
	as_label whole = as_new_label(cg->as);

	as_load(cg->as, 8, R3, R10, addr);
	as_alu_imm(cg->as, BPF_ADD, R3, bytes - 1);
	cg_probe(cg, 1, space);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, whole);
	if (cg->state->in_begin)
		as_store_imm(cg->as, 1, at.reg, at.off + room - 1, STRING_CUT);
	else
		cg_count(cg, query_counter(cg, true));
	as_bind(cg->as, whole);
}

/* How many bytes of the string are kept, of those that there is room for. */
static int kept_bytes(const struct px *e, int room)
{
	return e->type.bytes && (int)e->type.bytes < room ? (int)e->type.bytes : room;
}

static void read_call(struct cg *cg, uint8_t space)
{
	as_label user = as_new_label(cg->as), end = as_new_label(cg->as);

	if (space == SPACE_EITHER)
		as_jump_if_imm(cg->as, BPF_JSGE, R3, 0, user);
	if (space != SPACE_USER) {
		as_call(cg->as, BPF_FUNC_probe_read_kernel_str);
		as_jump(cg->as, end);
	}
	as_bind(cg->as, user);
	if (space != SPACE_KERNEL)
		as_call(cg->as, BPF_FUNC_probe_read_user_str);
	as_bind(cg->as, end);
}

/*
 *	n = probe_read_str(at, bytes, R0);
 *	if (n < 0) absent, or none;
 *	else if (n == bytes) perhaps cut
 */
static void read_string(struct cg *cg, const struct px *e, uint8_t space, struct place at, int room,
			bool counted, as_label none)
{
	as_label ok = as_new_label(cg->as), end = as_new_label(cg->as);
	int bytes = kept_bytes(e, room), addr = cg_frame(cg, 8);

	as_store(cg->as, 8, R10, addr, R0);
	as_mov(cg->as, R3, R0);
	cg_addr(cg, R1, at);
	as_imm(cg->as, R2, bytes);
	read_call(cg, space);
	as_jump_if_imm(cg->as, BPF_JSGE, R0, 0, ok);
	if (e->absent_is_none) {
		as_jump(cg->as, none);
	} else {
		as_store_imm(cg->as, 1, at.reg, at.off, 0);
		if (space != SPACE_KERNEL)
			absent(cg, at, room, counted);
		as_jump(cg->as, end);
	}
	as_bind(cg->as, ok);
	if (counted) {
		as_jump_if_imm(cg->as, BPF_JNE, R0, bytes, end);
		string_cut(cg, space, at, bytes, room, addr);
	}
	as_bind(cg->as, end);
	cg_frame_free(cg, 8);
}

/* A string from where it is kept, with a slot's marks taken off and counted. */
static void copy_kept(struct cg *cg, struct place at, struct place from, int room, bool slot,
		      bool counted)
{
	as_label there = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_copy(cg, at, from, room);
	if (slot) {
		as_load(cg->as, 1, R0, at.reg, at.off);
		as_jump_if_imm(cg->as, BPF_JNE, R0, STRING_ABSENT, there);
		absent(cg, at, room, counted);
		as_jump(cg->as, end);
		as_bind(cg->as, there);
	}
	as_load(cg->as, 1, R0, at.reg, at.off + room - 1);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, end);
	as_store_imm(cg->as, 1, at.reg, at.off + room - 1, 0);
	if (counted)
		cg_count(cg, query_counter(cg, true));
	as_bind(cg->as, end);
}

/* The parts of ?: and of a value or its substitute. */
static void choose(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		   as_label none)
{
	as_label second = as_new_label(cg->as), end = as_new_label(cg->as);
	bool cond = e->op == PX_COND;

	if (cond)
		cg_jump_when(cg, e->kids[0], false, second);
	cg_text(cg, e->kids[cond ? 1 : 0], at, room, pad, cond ? none : second);
	as_jump(cg->as, end);
	as_bind(cg->as, second);
	cg_text(cg, e->kids[cond ? 2 : 1], at, room, pad, none);
	as_bind(cg->as, end);
}

static void put_constant(struct cg *cg, const struct px *e, struct place at, int room, bool pad)
{
	int used = cg_round8((uint32_t)e->text.n + 1);

	cg_put_text(cg, at, e->text.p, e->text.n, room);
	if (pad && used < room)
		cg_zero(cg, (struct place){ at.reg, at.off + used }, room - used);
}

/* What is copied as it is: a slot or let of e's type. */
static void copy_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		      bool counted, as_label none)
{
	const struct p_slot *slot = e->op != PX_SLOT ? NULL :
				    &cg->state->period->slots.v[e->index];
	int bytes = cg_round8(slot ? slot->type.bytes : e->type.bytes), all = bytes;
	struct place from = e->op == PX_SLOT ? cg_slot_text(cg, e, none) :
					       cg_let_text(cg, e, none);

	if (bytes > room)
		bytes = room;
	if (e->type.kind == TY_STRING && !(slot && slot->whole && bytes == all))
		copy_kept(cg, at, from, bytes, slot, counted);
	else
		cg_copy(cg, at, from, bytes);
	if (type_head_bytes(&e->type))
		cg_parts_copied(cg, at, bytes, e->op == PX_SLOT);
	if (pad && bytes < room)
		cg_zero(cg, (struct place){ at.reg, at.off + bytes }, room - bytes);
}

/* What is read from memory: a field, str(), a member. */
static void read_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		      bool counted, as_label none)
{
	if (pad)
		cg_zero(cg, at, room);
	if (e->op == PX_FIELD) {
		cg_field_address(cg, e->field, none);
		read_string(cg, e, SPACE_KERNEL, at, room, counted && kept_bytes(e, room) == (int)e->type.bytes, none);
	} else if (e->op == PX_CALL) {
		cg_word(cg, e->kids[0], none);
		if (e->may_none)
			as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
		read_string(cg, e, e->space, at, room, counted, none);
	} else if (e->op == PX_LOAD) {
		struct px address = *e;

		address.op = PX_ADDR;
		address.type.kind = TY_PTR;
		cg_address(cg, &address, none);
		read_string(cg, e, e->space, at, room, counted, none);
	} else {
		cg_fail(cg, "a string that programs can't make");
	}
}

static void call_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		      as_label none)
{
	int bytes = (int)e->type.bytes < room ? (int)e->type.bytes / 8 * 8 : room;

	if (pad)
		cg_zero(cg, at, room);
	if (!e->func->emit_text)
		cg_fail(cg, "a function that programs don't have");
	else
		e->func->emit_text(cg, e, at, bytes, none);
}

/* cg_text without counting what is cut: for comparisons, which need less room. */
static void text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
		 bool counted, as_label none)
{
	bool by_argument = e->alt && cg->event->attach == ATTACH_TP_BTF;

	switch (e->op) {
	case PX_TEXT:
		put_constant(cg, e, at, room, pad);
		return;
	case PX_NONE:
		as_jump(cg->as, none);
		return;
	case PX_COND:
	case PX_ELSE:
		choose(cg, e, at, room, pad, none);
		return;
	case PX_SLOT:
	case PX_LET:
		copy_text(cg, e, at, room, pad, counted, none);
		return;
	case PX_OPEN_SLOT:
		cg_open_text(cg, e, at, room, pad, none);
		return;
	case PX_COMMON:
		if (e->type.kind == TY_STACK) {
			if (pad)
				cg_zero(cg, at, room);
			cg_stack(cg, e->common, at, none);
		} else {
			cg_common_text(cg, e->common, at, room, pad);
		}
		return;
	case PX_CALL:
		if (!e->func->is_string) {
			call_text(cg, e, at, room, pad, none);
			return;
		}
		break;
	}
	if (e->op == PX_FIELD && (by_argument || e->n_kids)) {
		text(cg, by_argument ? e->alt : e->kids[0], at, room, pad, counted, none);
		return;
	}
	read_text(cg, e, at, room, pad, counted, none);
}

void cg_text(struct cg *cg, const struct px *e, struct place at, int room, bool pad,
	     as_label none)
{
	struct mark m = cg_mark(cg);

	text(cg, e, at, room, pad, true, none);
	cg_release(cg, m);
}

/* ---- comparisons ---- */

/* Bytes of e that matter when it is compared with a constant of n characters: one
 * more than that, so that a longer string is not taken for equal. */
static int compared_room(const struct px *e, int n)
{
	int room = cg_round8((uint32_t)n + 2), least;

	if (e->op == PX_COMMON || e->op == PX_SLOT || e->op == PX_LET || e->op == PX_CALL || e->op == PX_OPEN_SLOT ||
	    e->op == PX_COND || e->op == PX_ELSE) {
		least = cg_round8(e->type.bytes);
		return room > least ? room : least;
	}
	return room;
}

static void compare_constant(struct cg *cg, struct place at, struct str s, as_label differ)
{
	for (int i = 0; i <= s.n; i += WORD) {
		char word[WORD] = { 0 };
		int64_t value;

		if (i < s.n)
			memcpy(word, s.p + i, (size_t)(s.n - i < WORD ? s.n - i : WORD));
		memcpy(&value, word, WORD);
		as_load(cg->as, WORD, R0, at.reg, at.off + i);
		as_imm(cg->as, R1, value);
		as_jump_if(cg->as, BPF_JNE, R0, R1, differ);
	}
}

void cg_string_differ(struct cg *cg, const struct px *a, const struct px *b, as_label differ,
		      as_label none)
{
	struct place left, right;
	int room;

	if (a->op == PX_TEXT) {
		const struct px *swap = a;

		a = b;
		b = swap;
	}
	if (b->op == PX_TEXT) {
		room = compared_room(a, b->text.n);
		left = cg_room(cg, room);
		text(cg, a, left, room, true, false, none);
		compare_constant(cg, left, b->text, differ);
		return;
	}
	room = cg_round8(a->type.bytes > b->type.bytes ? a->type.bytes : b->type.bytes);
	left = cg_room(cg, room);
	right = cg_room(cg, room);
	text(cg, a, left, room, true, false, none);
	text(cg, b, right, room, true, false, none);
	for (int i = 0; i < room; i += WORD) {
		as_load(cg->as, WORD, R0, left.reg, left.off + i);
		as_load(cg->as, WORD, R1, right.reg, right.off + i);
		as_jump_if(cg->as, BPF_JNE, R0, R1, differ);
	}
}

void cg_string_in(struct cg *cg, const struct px *e, as_label found, as_label none)
{
	struct place at;
	int longest = 0, room;

	for (int i = 1; i < e->n_kids; i++)
		if (e->kids[i]->op == PX_TEXT && e->kids[i]->text.n > longest)
			longest = e->kids[i]->text.n;
	room = compared_room(e->kids[0], longest);
	at = cg_room(cg, room);
	text(cg, e->kids[0], at, room, true, false, none);
	for (int i = 1; i < e->n_kids; i++) {
		as_label next = as_new_label(cg->as);

		if (e->kids[i]->op != PX_TEXT)
			continue;
		compare_constant(cg, at, e->kids[i]->text, next);
		as_jump(cg->as, found);
		as_bind(cg->as, next);
	}
}
