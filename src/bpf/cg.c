/*
 * What every part of the generator needs: the frame and scratch, memory in them, the time,
 * notes and errors. What makes programs of it is cg_program.c.
 */
#include "bpf/cg_state.h"

#include <string.h>

int cg_round8(uint32_t bytes)
{
	return (int)((bytes + 7) / 8 * 8);
}

int cg_value_bytes(const struct type *t)
{
	return type_is_word(t) ? 8 : cg_round8(t->bytes);
}

void cg_fail(struct cg *cg, const char *why)
{
	if (!cg->state->failed) {
		cg->state->failed = true;
		cg->state->fail_loc = cg->state->loc;
	}
	as_fail(cg->as, why);
}

void cg_note(struct cg *cg, struct loc loc, const char *what)
{
	if (loc.text)
		cg->state->loc = loc;
	as_note(cg->as, loc, what);
}

/* ---- memory ---- */

int cg_frame(struct cg *cg, int bytes)
{
	bool calls = cg->image->unwind_pieces >= 0 || cg->state->counts_called;

	cg->frame_used += cg_round8((uint32_t)bytes);
	if (cg->frame_used > FRAME_BYTES - (calls ? CALLED_FRAME_BYTES : 0)) {
		cg->state->frame_full = true;
		cg_fail(cg, "keeps more at once than a program's stack of 512 bytes holds");
		return -FRAME_BYTES;
	}
	as_frame(cg->as, -cg->frame_used, cg_round8((uint32_t)bytes));
	if (cg->frame_used > cg->frame_most)
		cg->frame_most = cg->frame_used;
	return -cg->frame_used;
}

void cg_frame_free(struct cg *cg, int bytes)
{
	cg->frame_used -= cg_round8((uint32_t)bytes);
}

struct mark cg_mark(const struct cg *cg)
{
	return (struct mark){ cg->frame_used, cg->state->scratch_used };
}

void cg_release(struct cg *cg, struct mark m)
{
	cg->frame_used = m.frame;
	cg->state->scratch_used = m.scratch;
}

struct place cg_scratch(struct cg *cg, int bytes)
{
	struct cg_state *s = cg->state;
	struct place p = { R9, s->scratch_used };
	int need = s->in_guard ? NEED_SCRATCH_GUARD : NEED_SCRATCH_BODY;

	s->wants_action[s->action] |= (uint8_t)need;
	s->scratch_used += cg_round8((uint32_t)bytes);
	if (s->scratch_used > SCRATCH_BYTES)
		cg_fail(cg, "keeps more text at once than a program has room for");
	return p;
}

struct place cg_room(struct cg *cg, int bytes)
{
	if (cg->frame_used + cg_round8((uint32_t)bytes) <= cg->state->frame_room)
		return (struct place){ R10, cg_frame(cg, bytes) };
	return cg_scratch(cg, bytes);
}

void cg_addr(struct cg *cg, int dst, struct place p)
{
	as_mov(cg->as, dst, p.reg);
	if (p.off)
		as_alu_imm(cg->as, BPF_ADD, dst, p.off);
}

/*
 * From this many bytes on a helper is less code (4 instructions) and as quick as words one by
 * one. What it can't read, as address 0, it clears. Changes R1 to R5. Over a trace it reads
 * nothing but the event's texts.
 */
#define BLOCK_BYTES 192

static bool is_block(const struct cg *cg, int bytes)
{
	return bytes >= BLOCK_BYTES && !cg->options->has.replay;
}

static void call_block(struct cg *cg, struct place to, int bytes)
{
	cg_addr(cg, R1, to);
	as_imm(cg->as, R2, bytes);
	as_call(cg->as, BPF_FUNC_probe_read_kernel);
}

void cg_zero(struct cg *cg, struct place p, int bytes)
{
	if (is_block(cg, bytes)) {
		as_imm(cg->as, R3, 0);
		call_block(cg, p, (int)cg_round8((uint32_t)bytes));
		return;
	}
	for (int i = 0; i < bytes; i += 8)
		as_store_imm(cg->as, 8, p.reg, p.off + i, 0);
}

void cg_copy(struct cg *cg, struct place to, struct place from, int bytes)
{
	if (is_block(cg, bytes)) {
		cg_addr(cg, R3, from);
		call_block(cg, to, (int)cg_round8((uint32_t)bytes));
		return;
	}
	for (int i = 0; i < bytes; i += 8) {
		as_load(cg->as, 8, R0, from.reg, from.off + i);
		as_store(cg->as, 8, to.reg, to.off + i, R0);
	}
}

void cg_put_text(struct cg *cg, struct place at, const char *text, int n, int room)
{
	for (int i = 0; i < room && i <= n; i += 8) {
		char word[8] = { 0 };
		int64_t value;

		if (i < n)
			memcpy(word, text + i, (size_t)(n - i < 8 ? n - i : 8));
		if (i + 8 >= room)
			word[8 - 1] = 0;
		memcpy(&value, word, 8);
		as_imm(cg->as, R0, value);
		as_store(cg->as, 8, at.reg, at.off + i, R0);
	}
}

void cg_global_address(struct cg *cg, int dst, int word)
{
	as_map_value(cg->as, dst, cg->image->globals, word * 8);
}

/* if (!now) now = bpf_ktime_get_ns() */
void cg_now(struct cg *cg)
{
	struct cg_state *s = cg->state;
	as_label known = as_new_label(cg->as);

	s->wants |= NEED_NOW;
	as_load(cg->as, 8, R0, R10, s->now_off);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, known);
	as_call(cg->as, BPF_FUNC_ktime_get_ns);
	as_store(cg->as, 8, R10, s->now_off, R0);
	as_bind(cg->as, known);
}

const char *cg_finish(struct cg *cg, struct img_prog *p)
{
	if (!cg->options->as_emitted)
		as_shorten(cg->as);
	return as_finish(cg->as, cg->arena, &p->insns, &p->notes, &p->n_insns);
}
