/*
 * Globs: `text ~ "pattern"` as a state machine with a bit for each place in the
 * pattern, one step a character, whatever the pattern:
 *
 *	state = 1;
 *	for each c: state = (state & fits[c]) << 1 | (state & stays);
 *	match = state >> length & 1
 *
 * Bit i of fits[c]: character i of the pattern (a letter, ? or set) is c. Bit i
 * of stays: a `*` stands before it. The table is a read-only map. Between the words
 * of a list of arguments is a NUL, which fits what a blank fits.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_map.h"
#include "bpf/cg_state.h"

#include "lang/diag_tags.h"

#define PLACES_MOST 63
#define BYTES 256

struct glob_table {
	uint64_t fits[BYTES];
	uint64_t stays;
};

/* The set at p[*i] == '[': adds its characters to the place. As str_glob. */
static bool read_set(struct str p, int *i, struct glob_table *t, int place)
{
	int k = *i + 1, first;
	bool set[BYTES] = { false }, invert = false;

	if (k < p.n && (p.p[k] == '!' || p.p[k] == '^')) {
		invert = true;
		k++;
	}
	for (first = k; k < p.n && (p.p[k] != ']' || k == first); k++) {
		int lo = (unsigned char)p.p[k], hi = lo;

		if (k + 2 < p.n && p.p[k + 1] == '-' && p.p[k + 2] != ']') {
			hi = (unsigned char)p.p[k + 2];
			k += 2;
		}
		for (int c = lo; c <= hi; c++)
			set[c] = true;
	}
	if (k >= p.n)
		return false;
	*i = k + 1;
	for (int c = 1; c < BYTES; c++)
		if (set[c] != invert)
			t->fits[c] |= 1ull << place;
	return true;
}

/* The number of places, -1: more than there are bits. */
static int compile_glob(struct str p, struct glob_table *t)
{
	int places = 0;

	for (int i = 0; i < p.n;) {
		if (p.p[i] == '*') {
			t->stays |= 1ull << places;
			i++;
			continue;
		}
		if (places == PLACES_MOST)
			return -1;
		if (p.p[i] == '?') {
			for (int c = 1; c < BYTES; c++)
				t->fits[c] |= 1ull << places;
			i++;
		} else if (p.p[i] != '[' || !read_set(p, &i, t, places)) {
			if (p.p[i] == '\\' && i + 1 < p.n)
				i++;
			t->fits[(unsigned char)p.p[i++]] |= 1ull << places;
		}
		places++;
	}
	return places;
}

/* Ends at a NUL, a list at the NUL that ends its last word. */
static void emit_end(struct cg *cg, struct place at, bool list, as_label end)
{
	if (!list) {
		as_jump_if_imm(cg->as, BPF_JEQ, R3, 0, end);
		return;
	}
	as_load(cg->as, 4, R5, at.reg, at.off);
	as_alu_imm(cg->as, BPF_SUB, R5, 1);
	as_jump_if(cg->as, BPF_JSGE, R1, R5, end);
}

/*
 * R0 = state, R1 = characters done, R2 = the next one, R4 = table. The loop is
 * bounded by the string's room, which the verifier follows.
 */
static void emit_loop(struct cg *cg, struct place at, bool list, int room, int table, int places)
{
	struct as *as = cg->as;
	as_label loop = as_new_label(as), end = as_new_label(as);
	int head = list ? TEXT_HEAD_BYTES : 0;

	as_map_value(as, R4, table, 0);
	cg_addr(cg, R2, (struct place){ at.reg, at.off + head });
	as_imm(as, R0, 1);
	as_imm(as, R1, 0);
	as_bind(as, loop);
	as_load(as, 1, R3, R2, 0);
	emit_end(cg, at, list, end);
	as_alu_imm(as, BPF_LSH, R3, 3);
	as_alu(as, BPF_ADD, R3, R4);
	as_load(as, 8, R3, R3, 0);
	as_alu(as, BPF_AND, R3, R0);
	as_alu_imm(as, BPF_LSH, R3, 1);
	as_load(as, 8, R5, R4, (int)sizeof(((struct glob_table *)0)->fits));
	as_alu(as, BPF_AND, R0, R5);
	as_alu(as, BPF_OR, R0, R3);
	/* The verifier knows the row of NUL, and would follow each state from there: it
	 * forgets what went through memory. */
	if (list) {
		as_store(as, 8, at.reg, at.off + room, R0);
		as_load(as, 8, R0, at.reg, at.off + room);
	}
	as_jump_if_imm(as, BPF_JEQ, R0, 0, end);
	as_alu_imm(as, BPF_ADD, R2, 1);
	as_alu_imm(as, BPF_ADD, R1, 1);
	as_jump_if_imm(as, BPF_JLT, R1, room - head, loop);
	as_bind(as, end);
	as_alu_imm(as, BPF_RSH, R0, places);
	as_alu_imm(as, BPF_AND, R0, 1);
}

void cg_match(struct cg *cg, const struct px *e, as_label none)
{
	const struct px *text = e->kids[0];
	struct glob_table *t = arena_new(cg->arena, struct glob_table);
	int room = cg_round8(text->type.bytes), places = compile_glob(e->text, t);
	bool list = text->type.kind == TY_ARGS;
	struct place at;

	if (list)
		t->fits[0] = t->fits[' '];
	if (places < 0) {
		diag_error(cg->diag, DIAG_GLOB_TOO_LONG, e->loc,
			   "a pattern of more than %d characters can't be matched in the kernel",
			   PLACES_MOST);
		return;
	}
	at = cg_room(cg, list ? room + 8 : room);
	cg_text(cg, text, at, room, true, none);
	emit_loop(cg, at, list, room, cg_add_const(cg, "glob", t, sizeof(*t), "a pattern"), places);
}
