/*
 * asm: instructions into an array, labels into offsets.
 *
 * Each emitter adds one slot; jumps name a label until as_finish, which drops what
 * nothing reaches (the verifier refuses such code, and emitters need not look whether
 * what they emitted before ended the program) and jumps to the next instruction, and
 * then fills the offsets in. It knows nothing of plans or tables. A new instruction is
 * a new emitter here and a row in disasm.c.
 */
#include "bpf/asm.h"

#include <limits.h>

#include "bpf/insn.h"
#include "bpf/peephole.h"

struct slot {
	struct bpf_insn insn;
	int label;			/* jump's target, -1: none */
	int note;			/* index of notes */
};

struct as {
	struct arena *arena;
	VEC(struct slot) slots;
	VEC(int) labels;		/* where each is bound, -1: not yet */
	VEC(struct as_note) notes;
	const char *error;
	bool shorten;
	uint8_t frame_ends[INSN_FRAME_WORDS];
};

struct as *as_new(struct arena *a)
{
	struct as *as = arena_new(a, struct as);

	as->arena = a;
	vec_add(a, &as->notes);
	return as;
}

void as_shorten(struct as *as)
{
	as->shorten = true;
}

void as_frame(struct as *as, int off, int bytes)
{
	int first = off / 8 + INSN_FRAME_WORDS, end = (off + bytes) / 8 + INSN_FRAME_WORDS;

	if (first >= 0 && first < INSN_FRAME_WORDS && as->frame_ends[first] < end)
		as->frame_ends[first] = (uint8_t)end;
}

void as_fail(struct as *as, const char *why)
{
	if (!as->error)
		as->error = why;
}

const char *as_error(const struct as *as)
{
	return as->error;
}

int as_here(const struct as *as)
{
	return as->slots.n;
}

as_label as_new_label(struct as *as)
{
	vec_push(as->arena, &as->labels, -1);
	return as->labels.n - 1;
}

void as_bind(struct as *as, as_label l)
{
	if (l < 0 || l >= as->labels.n || as->labels.v[l] >= 0)
		as_fail(as, "a label that is not known or bound twice");
	else
		as->labels.v[l] = as->slots.n;
}

void as_note(struct as *as, struct loc loc, const char *what)
{
	*vec_add(as->arena, &as->notes) = (struct as_note){ loc, what };
}

static void emit_to(struct as *as, int code, int dst, int src, int off, int32_t imm, int label)
{
	if (as->error)
		return;
	if (as->slots.n >= AS_INSNS_MOST)
		as_fail(as, "the program is too large");
	else if (dst < R0 || dst > R10 || src < R0 || src > R10)
		as_fail(as, "no such register");
	else if (off < INT16_MIN || off > INT16_MAX)
		as_fail(as, "an offset that an instruction can't hold");
	else
		*vec_add(as->arena, &as->slots) = (struct slot){
			.insn = { .code = (uint8_t)code, .dst_reg = dst & 15, .src_reg = src & 15,
				  .off = (int16_t)off, .imm = imm },
			.label = label,
			.note = as->notes.n - 1,
		};
}

static void emit(struct as *as, int code, int dst, int src, int off, int32_t imm)
{
	emit_to(as, code, dst, src, off, imm, -1);
}

/* ---- arithmetic ---- */

static void alu_imm(struct as *as, int class, int op, int dst, int32_t imm)
{
	if ((op == BPF_DIV || op == BPF_MOD) && imm == 0)
		as_fail(as, "a division by the constant 0");
	emit(as, class | op | BPF_K, dst, 0, 0, imm);
}

void as_alu(struct as *as, int op, int dst, int src)
{
	emit(as, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

void as_alu_imm(struct as *as, int op, int dst, int32_t imm)
{
	alu_imm(as, BPF_ALU64, op, dst, imm);
}

void as_alu32(struct as *as, int op, int dst, int src)
{
	emit(as, BPF_ALU | op | BPF_X, dst, src, 0, 0);
}

void as_alu32_imm(struct as *as, int op, int dst, int32_t imm)
{
	alu_imm(as, BPF_ALU, op, dst, imm);
}

void as_neg(struct as *as, int dst)
{
	emit(as, BPF_ALU64 | BPF_NEG, dst, 0, 0, 0);
}

void as_bswap(struct as *as, int dst, int bits)
{
	emit(as, BPF_ALU | BPF_END | BPF_TO_BE, dst, 0, 0, bits);
}

void as_mov(struct as *as, int dst, int src)
{
	as_alu(as, BPF_MOV, dst, src);
}

static void load_imm64(struct as *as, int dst, int src, uint32_t low, uint32_t high)
{
	emit(as, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, (int32_t)low);
	emit(as, 0, 0, 0, 0, (int32_t)high);
}

void as_imm(struct as *as, int dst, int64_t imm)
{
	if (imm >= INT32_MIN && imm <= INT32_MAX)
		as_alu_imm(as, BPF_MOV, dst, (int32_t)imm);
	else if (imm >= 0 && imm <= UINT32_MAX)
		as_alu32_imm(as, BPF_MOV, dst, (int32_t)imm);
	else
		load_imm64(as, dst, 0, (uint32_t)imm, (uint32_t)((uint64_t)imm >> 32));
}

void as_map(struct as *as, int dst, int map)
{
	load_imm64(as, dst, BPF_PSEUDO_MAP_FD, (uint32_t)map, 0);
}

void as_map_value(struct as *as, int dst, int map, int32_t off)
{
	load_imm64(as, dst, BPF_PSEUDO_MAP_VALUE, (uint32_t)map, (uint32_t)off);
}

void as_callback(struct as *as, int dst, as_label function)
{
	if (function < 0 || function >= as->labels.n)
		as_fail(as, "a function whose label is not known");
	emit_to(as, BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_FUNC, 0, 0, function);
	emit(as, 0, 0, 0, 0, 0);
}

/* ---- memory ---- */

static int size_code(struct as *as, int bytes)
{
	switch (bytes) {
	case 1:
		return BPF_B;
	case 2:
		return BPF_H;
	case 4:
		return BPF_W;
	case 8:
		return BPF_DW;
	}
	as_fail(as, "no such size of a load or store");
	return BPF_DW;
}

void as_load(struct as *as, int bytes, int dst, int src, int off)
{
	emit(as, BPF_LDX | BPF_MEM | size_code(as, bytes), dst, src, off, 0);
}

void as_store(struct as *as, int bytes, int dst, int off, int src)
{
	emit(as, BPF_STX | BPF_MEM | size_code(as, bytes), dst, src, off, 0);
}

void as_store_imm(struct as *as, int bytes, int dst, int off, int32_t imm)
{
	emit(as, BPF_ST | BPF_MEM | size_code(as, bytes), dst, 0, off, imm);
}

void as_atomic(struct as *as, int op, int dst, int off, int src)
{
	emit(as, BPF_STX | BPF_ATOMIC | BPF_DW, dst, src, off, op);
}

/* ---- jumps ---- */

static void jump(struct as *as, int code, int dst, int src, int32_t imm, as_label to)
{
	if (to < 0 || to >= as->labels.n)
		as_fail(as, "a jump to a label that is not known");
	emit_to(as, code, dst, src, 0, imm, to);
}

void as_jump(struct as *as, as_label to)
{
	jump(as, BPF_JMP | BPF_JA, 0, 0, 0, to);
}

void as_jump_if(struct as *as, int op, int dst, int src, as_label to)
{
	jump(as, BPF_JMP | op | BPF_X, dst, src, 0, to);
}

void as_jump_if_imm(struct as *as, int op, int dst, int32_t imm, as_label to)
{
	jump(as, BPF_JMP | op | BPF_K, dst, 0, imm, to);
}

const char *const as_kfunc_names[KFUNCS] = {
	[KFUNC_SESSION_COOKIE] = "bpf_session_cookie",
	[KFUNC_SESSION_IS_RETURN] = "bpf_session_is_return",
};

void as_kfunc(struct as *as, enum as_kfunc kfunc)
{
	emit(as, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (int32_t)kfunc);
}

void as_call(struct as *as, int helper)
{
	emit(as, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void as_call_function(struct as *as, as_label function)
{
	if (function < 0 || function >= as->labels.n)
		as_fail(as, "a function whose label is not known");
	emit_to(as, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 0, function);
}

void as_exit(struct as *as)
{
	emit(as, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* ---- the end ---- */

/* Marks what can be reached from slot 0. */
static void mark_reached(struct as *as, bool *reached)
{
	int n = as->slots.n;
	int *todo = arena_array(as->arena, int, n + 1), n_todo = 0;

	todo[n_todo++] = 0;
	while (n_todo && !as->error) {
		int i = todo[--n_todo];

		while (!as->error && (i >= n || !reached[i])) {
			if (i >= n) {
				as_fail(as, "the program runs past its end");
				break;
			}
			const struct slot *s = &as->slots.v[i];
			int to = s->label < 0 ? 0 : as->labels.v[s->label];

			reached[i] = true;
			if (insn_is_ld_imm64(&s->insn) && i + 1 < n)
				reached[++i] = true;
			if (to < 0)
				as_fail(as, "a label that was not bound");
			else if (insn_is_exit(&s->insn))
				break;
			else if (insn_is_goto(&s->insn))
				i = to;
			else if (s->label >= 0)
				todo[n_todo++] = to, i++;
			else
				i++;
		}
	}
}

/* Labels are for emitters: from here on each jump knows its slot. */
static struct peep_code resolve(struct as *as)
{
	int n = as->slots.n;
	struct peep_code c = {
		.insns = arena_array(as->arena, struct bpf_insn, n),
		.to = arena_array(as->arena, int, n),
		.kept = arena_array(as->arena, bool, n), .n = n,
		.frame_ends = as->frame_ends,
	};

	for (int i = 0; i < n; i++) {
		c.insns[i] = as->slots.v[i].insn;
		c.to[i] = as->slots.v[i].label < 0 ? -1 : as->labels.v[as->slots.v[i].label];
	}
	return c;
}

/* Jumps that only pass dropped slots lead to the next instruction: dropped, too. */
static void drop_null_jumps(const struct peep_code *c)
{
	for (int i = c->n - 1; i >= 0; i--) {
		int k;

		if (!c->kept[i] || !insn_is_goto(&c->insns[i]))
			continue;
		for (k = i + 1; k < c->to[i] && !c->kept[k]; k++)
			;
		if (k == c->to[i])
			c->kept[i] = false;
	}
}

static void fill_offset(struct as *as, struct bpf_insn *insn, int at, int to)
{
	int off = to - at - 1;

	if (off < INT16_MIN || off > INT16_MAX)
		as_fail(as, "the program is too large: a jump does not reach its target");
	insn->off = (int16_t)off;
}

/* A function's place is in the number, of a callback in the one that is loaded. */
static void fill(struct as *as, struct bpf_insn *insn, int at, int to)
{
	if (insn_is_ld_imm64(insn) || insn_is_call(insn))
		insn->imm = to - at - 1;
	else
		fill_offset(as, insn, at, to);
}

const char *as_finish(struct as *as, struct arena *a, struct bpf_insn **insns, struct as_note **notes,
		      int *n)
{
	int slots = as->slots.n, out = 0, last_note = -1;
	struct peep_code c = resolve(as);
	int *place = arena_array(as->arena, int, slots);

	*insns = NULL;
	*notes = NULL;
	*n = 0;
	mark_reached(as, c.kept);
	if (as->error)
		return as->error;
	if (as->shorten)
		peephole(as->arena, &c);
	drop_null_jumps(&c);
	for (int i = 0; i < slots; i++) {
		place[i] = out;
		out += c.kept[i];
	}
	*insns = arena_array(a, struct bpf_insn, out);
	*notes = arena_array(a, struct as_note, out);
	for (int i = 0; i < slots; i++) {
		const struct slot *s = &as->slots.v[i];
		struct bpf_insn *insn = &(*insns)[*n];

		if (!c.kept[i])
			continue;
		*insn = c.insns[i];
		if (c.to[i] >= 0)
			fill(as, insn, *n, place[c.to[i]]);
		(*notes)[*n] = as->notes.v[s->note];
		if (s->note == last_note)
			(*notes)[*n].what = NULL;
		last_note = s->note;
		++*n;
	}
	return as->error;
}
