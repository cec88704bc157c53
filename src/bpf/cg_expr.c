/*
 * Expressions: words and conditions, a row of `emit` for each operation. What
 * loads memory is in cg_load.c, operators in cg_arith.c, strings in cg_string.c.
 *
 * The result of a word is in R0. What must be kept while another part is
 * evaluated is spilled to the frame: there is no allocation of registers. cg_word, cg_text
 * and cg_jump_when give back what frame and scratch an expression took.
 */
#include "bpf/cg_expr.h"
#include "bpf/cg_field.h"
#include "bpf/cg_period.h"
#include "bpf/cg_stack.h"
#include "bpf/cg_state.h"

#include <stdlib.h>

#include "plan/func.h"

#define LIST_COMPARED 8			/* of a list of numbers, one after the other */

void cg_value(struct cg *cg, const struct px *e, struct place at, const struct type *t,
	      as_label none)
{
	if (type_is_word(t)) {
		cg_word(cg, e, none);
		as_store(cg->as, 8, at.reg, at.off, R0);
	} else {
		cg_text(cg, e, at, cg_round8(t->bytes), true, none);
	}
}

void cg_keys(struct cg *cg, struct px *const *keys, const struct type *types, int n, struct place at,
	     as_label none)
{
	for (int i = 0; i < n; i++) {
		cg_value(cg, keys[i], at, &types[i], none);
		at.off += cg_value_bytes(&types[i]);
	}
}

/* ---- words ---- */

static void emit_number(struct cg *cg, const struct px *e, as_label none)
{
	(void)none;
	as_imm(cg->as, R0, e->number);
}

static void emit_none(struct cg *cg, const struct px *e, as_label none)
{
	(void)e;
	as_jump(cg->as, none);
}

static void emit_field(struct cg *cg, const struct px *e, as_label none)
{
	if (e->may_none && e->field->loc == LOC_SYSRET)
		cg_syscall_returned(cg, none);
	if (e->alt && cg->event->attach == ATTACH_TP_BTF)
		cg_word(cg, e->alt, none);
	else if (e->n_kids)	/* stored in another way than it means */
		cg_word(cg, e->kids[0], none);
	else if (e->type.kind == TY_ARRAY || e->type.kind == TY_STRUCT)
		cg_field_address(cg, e->field, none);
	else
		cg_field(cg, e->field, none);
}

static void emit_common(struct cg *cg, const struct px *e, as_label none)
{
	(void)none;
	if (e->common == COMMON_EVENT)
		cg_event_number(cg, e);
	else
		cg_common(cg, e->common);
}

/* if (!(valid & bit)) goto none */
static void slot_valid(struct cg *cg, const struct px *e, as_label none)
{
	const struct p_period *p = cg->state->period;

	if (!p->slot_mask || !p->slots.v[e->index].may_none)
		return;
	as_load(cg->as, 8, R0, R8, (int)p->mask_off);
	as_imm(cg->as, R1, (int64_t)(1ull << e->index));
	as_alu(cg->as, BPF_AND, R0, R1);
	as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

static void emit_slot(struct cg *cg, const struct px *e, as_label none)
{
	slot_valid(cg, e, none);
	as_load(cg->as, 8, R0, R8, (int)cg->state->period->slots.v[e->index].off);
}

static void emit_depth(struct cg *cg, const struct px *e, as_label none)
{
	(void)e, (void)none;
	as_load(cg->as, 8, R0, R10, cg->state->depth_off);
}

static void emit_begin_time(struct cg *cg, const struct px *e, as_label none)
{
	as_load(cg->as, 8, R0, R10, cg->state->begin_off);
	if (e->may_none)
		as_jump_if_imm(cg->as, BPF_JEQ, R0, 0, none);
}

static void emit_duration(struct cg *cg, const struct px *e, as_label none)
{
	if (e->may_none)
		emit_begin_time(cg, e, none);
	as_load(cg->as, 8, R0, R10, cg->state->duration_off);
}

static void let_valid(struct cg *cg, const struct px *e, as_label none)
{
	const struct cg_let *let = &cg->state->lets[e->index];

	if (!let->none_off)
		return;
	as_load(cg->as, 8, R0, R10, let->none_off);
	as_jump_if_imm(cg->as, BPF_JNE, R0, 0, none);
}

static void emit_let(struct cg *cg, const struct px *e, as_label none)
{
	const struct cg_let *let = &cg->state->lets[e->index];

	let_valid(cg, e, none);
	as_load(cg->as, 8, R0, let->at.reg, let->at.off);
}

/* R0 = condition ? 1 : 0 */
static void emit_truth(struct cg *cg, const struct px *e, as_label none)
{
	as_label yes = as_new_label(cg->as), end = as_new_label(cg->as);

	(void)none;
	cg_jump_when(cg, e, true, yes);
	as_imm(cg->as, R0, 0);
	as_jump(cg->as, end);
	as_bind(cg->as, yes);
	as_imm(cg->as, R0, 1);
	as_bind(cg->as, end);
}

/* What is none matches nothing. */
static void emit_match(struct cg *cg, const struct px *e, as_label none)
{
	as_label missing = as_new_label(cg->as), end = as_new_label(cg->as);

	(void)none;
	cg_match(cg, e, missing);
	as_jump(cg->as, end);
	as_bind(cg->as, missing);
	as_imm(cg->as, R0, 0);
	as_bind(cg->as, end);
}

static void emit_cond(struct cg *cg, const struct px *e, as_label none)
{
	as_label otherwise = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_jump_when(cg, e->kids[0], false, otherwise);
	cg_word(cg, e->kids[1], none);
	as_jump(cg->as, end);
	as_bind(cg->as, otherwise);
	cg_word(cg, e->kids[2], none);
	as_bind(cg->as, end);
}

static void emit_else(struct cg *cg, const struct px *e, as_label none)
{
	as_label otherwise = as_new_label(cg->as), end = as_new_label(cg->as);

	cg_word(cg, e->kids[0], otherwise);
	as_jump(cg->as, end);
	as_bind(cg->as, otherwise);
	cg_word(cg, e->kids[1], none);
	as_bind(cg->as, end);
}

static void emit_narrow(struct cg *cg, const struct px *e, as_label none)
{
	cg_word(cg, e->kids[0], none);
	if (cg_pointerish(e->kids[0]))
		cg_scalar(cg);
	cg_extend(cg, e->type.size, e->type.is_signed);
}

static void emit_call(struct cg *cg, const struct px *e, as_label none)
{
	if (!e->func->emit_word)
		cg_fail(cg, "a function that programs don't have");
	else
		e->func->emit_word(cg, e, none);
}

static bool is_logic(const struct px *e)
{
	return op_compares(e->c_op) || op_class(e->c_op) == CLASS_LOGIC ||
	       op_class(e->c_op) == CLASS_MATCH;
}

static void emit_unary(struct cg *cg, const struct px *e, as_label none)
{
	(is_logic(e) ? emit_truth : cg_unary)(cg, e, none);
}

static void emit_binary(struct cg *cg, const struct px *e, as_label none)
{
	(is_logic(e) ? emit_truth : cg_binary)(cg, e, none);
}

typedef void (*emit_fn)(struct cg *cg, const struct px *e, as_label none);

static const emit_fn emit[] = {
	[PX_NUMBER] = emit_number,
	[PX_NONE] = emit_none,
	[PX_FIELD] = emit_field,
	[PX_COMMON] = emit_common,
	[PX_SLOT] = emit_slot,
	[PX_FRAME] = cg_frame_number,
	[PX_DEPTH] = emit_depth,
	[PX_TREE_ROWS] = cg_tree_rows,
	[PX_DURATION] = emit_duration,
	[PX_BEGIN_TIME] = emit_begin_time,
	[PX_LET] = emit_let,
	[PX_LOAD] = cg_load,
	[PX_ADDR] = cg_address,
	[PX_ELEMENT] = cg_element,
	[PX_UNARY] = emit_unary,
	[PX_BINARY] = emit_binary,
	[PX_MATCH] = emit_match,
	[PX_COND] = emit_cond,
	[PX_IN] = emit_truth,
	[PX_NARROW] = emit_narrow,
	[PX_CALL] = emit_call,
	[PX_ELSE] = emit_else,
	[PX_OPEN] = cg_open_is,
	[PX_OPEN_SLOT] = cg_open_slot,
	[PX_OPEN_TIME] = cg_open_time,
	[PX_OPEN_DEPTH] = cg_open_depth,
	[PX_FOLLOWED] = cg_followed,
	[PX_HERE] = cg_here,
};

void cg_word(struct cg *cg, const struct px *e, as_label none)
{
	struct mark m = cg_mark(cg);

	if (e->op >= sizeof(emit) / sizeof(emit[0]) || !emit[e->op])
		cg_fail(cg, "an expression that programs can't evaluate");
	else
		emit[e->op](cg, e, none);
	cg_release(cg, m);
}

/* ---- strings that are kept already ---- */

struct place cg_slot_text(struct cg *cg, const struct px *e, as_label none)
{
	slot_valid(cg, e, none);
	return (struct place){ R8, (int)cg->state->period->slots.v[e->index].off };
}

struct place cg_let_text(struct cg *cg, const struct px *e, as_label none)
{
	let_valid(cg, e, none);
	return cg->state->lets[e->index].at;
}

/* ---- conditions ---- */

static const struct {
	uint8_t jump, jump_signed;
	uint8_t not;			/* the operator that holds when this one does not */
} compares[OPS] = {
	[OP_EQ] = { BPF_JEQ, BPF_JEQ, OP_NE },
	[OP_NE] = { BPF_JNE, BPF_JNE, OP_EQ },
	[OP_LT] = { BPF_JLT, BPF_JSLT, OP_GE },
	[OP_LE] = { BPF_JLE, BPF_JSLE, OP_GT },
	[OP_GT] = { BPF_JGT, BPF_JSGT, OP_LE },
	[OP_GE] = { BPF_JGE, BPF_JSGE, OP_LT },
};

static void jump_compare(struct cg *cg, const struct px *e, bool when, as_label to, as_label none)
{
	int c_op = when ? e->c_op : compares[e->c_op].not;
	int op = px_compares_signed(e->kids[0], e->kids[1]) ? compares[c_op].jump_signed
							   : compares[c_op].jump;
	int64_t number;

	if (px_is_number(e->kids[1], &number) && number == (int32_t)number) {
		cg_word(cg, e->kids[0], none);
		as_jump_if_imm(cg->as, op, R0, (int32_t)number, to);
	} else {
		cg_pair(cg, e->kids[0], e->kids[1], none);
		as_jump_if(cg->as, op, R0, R1, to);
	}
}

static void jump_string(struct cg *cg, const struct px *e, bool when, as_label to, as_label none)
{
	as_label differ = as_new_label(cg->as), end = as_new_label(cg->as);

	/* equal falls through */
	cg_string_differ(cg, e->kids[0], e->kids[1], differ, none);
	if (when == (e->c_op == OP_EQ))
		as_jump(cg->as, to);
	else
		as_jump(cg->as, end);
	as_bind(cg->as, differ);
	if (when != (e->c_op == OP_EQ))
		as_jump(cg->as, to);
	as_bind(cg->as, end);
}

/* A comparison with none is false. */
static void jump_binary(struct cg *cg, const struct px *e, bool when, as_label to)
{
	as_label end = as_new_label(cg->as);
	as_label none = when ? end : to;

	if (!type_is_word(&e->kids[0]->type))
		jump_string(cg, e, when, to, none);
	else
		jump_compare(cg, e, when, to, none);
	as_bind(cg->as, end);
}

/* all: a && b, else a || b */
static void jump_both(struct cg *cg, const struct px *e, bool all, bool when, as_label to)
{
	as_label end = as_new_label(cg->as);

	cg_jump_when(cg, e->kids[0], !all, when == all ? end : to);
	cg_jump_when(cg, e->kids[1], when, to);
	as_bind(cg->as, end);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* R0 is one of n sorted numbers: to found, else falls through or to missing. Halves
 * a long list, so that neither the machine nor the verifier goes through all. */
static void search(struct cg *cg, const int64_t *v, int n, as_label found, as_label missing)
{
	as_label upper = as_new_label(cg->as);

	if (n <= LIST_COMPARED) {
		for (int i = 0; i < n; i++) {
			as_imm(cg->as, R1, v[i]);
			as_jump_if(cg->as, BPF_JEQ, R0, R1, found);
		}
		as_jump(cg->as, missing);
		return;
	}
	as_imm(cg->as, R1, v[n / 2]);
	as_jump_if(cg->as, BPF_JSGE, R0, R1, upper);
	search(cg, v, n / 2, found, missing);
	as_bind(cg->as, upper);
	search(cg, v + n / 2, n - n / 2, found, missing);
}

/* The numbers of a list, sorted, each once: names that match a pattern can be many more. */
static int numbers_of(const struct px *e, int64_t *v)
{
	int n = 0, kept = 0;

	for (int i = 1; i < e->n_kids; i++)
		if (px_is_number(e->kids[i], &v[n]))
			n++;
	qsort(v, (size_t)n, sizeof(*v), by_value);
	for (int i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

static void word_in(struct cg *cg, const struct px *e, as_label found, as_label none)
{
	int64_t *v = arena_array(cg->arena, int64_t, e->n_kids);
	as_label missing = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	search(cg, v, numbers_of(e, v), found, missing);
	as_bind(cg->as, missing);
}

static void jump_in(struct cg *cg, const struct px *e, bool when, as_label to)
{
	as_label end = as_new_label(cg->as), found = when ? to : end, none = when ? end : to;

	if (!type_is_word(&e->kids[0]->type))
		cg_string_in(cg, e, found, none);
	else
		word_in(cg, e, found, none);
	if (!when)
		as_jump(cg->as, to);
	as_bind(cg->as, end);
}

void cg_jump_when(struct cg *cg, const struct px *e, bool when, as_label to)
{
	as_label end = as_new_label(cg->as);
	struct mark m = cg_mark(cg);
	int64_t number;

	if (px_is_number(e, &number)) {
		if ((number != 0) == when)
			as_jump(cg->as, to);
	} else if (e->op == PX_UNARY && e->c_op == OP_NOT) {
		cg_jump_when(cg, e->kids[0], !when, to);
	} else if (e->op == PX_BINARY && (e->c_op == OP_AND || e->c_op == OP_OR)) {
		jump_both(cg, e, e->c_op == OP_AND, when, to);
	} else if (e->op == PX_BINARY && is_logic(e)) {
		jump_binary(cg, e, when, to);
	} else if (e->op == PX_IN) {
		jump_in(cg, e, when, to);
	} else {
		(e->op == PX_MATCH ? cg_match : cg_word)(cg, e, when ? end : to);
		as_jump_if_imm(cg->as, when ? BPF_JNE : BPF_JEQ, R0, 0, to);
	}
	as_bind(cg->as, end);
	cg_release(cg, m);
}
