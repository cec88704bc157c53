/*
 * eval: what a checked expression (struct px) gives over a made event, straight from the plan. It
 * shares no arithmetic with src/bpf and src/table/op.c.
 */
#ifndef ORACLE_EVAL_H
#define ORACLE_EVAL_H

#include <limits.h>

#include "oracle/funcs.h"

#define SLOTS_MOST 64
#define PERIOD_KEYS 2

/* A period's begin and what was kept of it, from a time on: a via keeps more. */
struct begun {
	const struct moment *at;
	uint64_t since_ns;
	const struct begun *before;	/* what was kept until then, or NULL */
	struct value slots[SLOTS_MOST];
};

/* A period that is open from behind one step to before another. */
struct opened {
	const struct p_period *period;
	struct value keys[PERIOD_KEYS], thread;
	struct begun *begun;
	int from, to;
	uint64_t until_ns;
};

typedef VEC(struct opened *) opened_list;

struct eval {
	struct arena *arena;
	const struct moment *at;
	const opened_list *opened;
	int step;			/* the number of the action */
	uint64_t tree_rows;
	uint64_t *counts;		/* of `first` and `sample`; NULL: the row has passed them */
	const struct begun *begun;	/* NULL: the row is an event's */
	struct value lets[4];
	const char *unknown;		/* what this executor does not know */
};

static struct value eval(struct eval *v, const struct px *e);

static uint64_t arithmetic(struct eval *v, int op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case OP_BOR: return a | b;
	case OP_XOR: return a ^ b;
	case OP_BAND: return a & b;
	case OP_SHL: return a << (b % 64);
	case OP_SHR: return shift_right(a, (unsigned)(b % 64), is_signed);
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV: return divide(a, b, is_signed, false);
	case OP_MOD: return divide(a, b, is_signed, true);
	}
	v->unknown = "an operator";
	return 0;
}

static bool compare(int op, uint64_t a, uint64_t b, bool is_signed)
{
	switch (op) {
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_LT: return is_less(a, b, is_signed);
	case OP_LE: return !is_less(b, a, is_signed);
	case OP_GT: return is_less(b, a, is_signed);
	default: return !is_less(a, b, is_signed);
	}
}

/* Only beside an unsigned value of 64 bits, which has no room for one, there is no sign. */
static bool has_no_room(const struct px *e)
{
	return e->op != PX_NUMBER && !e->type.is_signed && e->type.size == 8;
}

static bool may_be_negative(const struct px *e)
{
	return e->op == PX_NUMBER ? e->number < 0 : e->type.is_signed;
}

static bool are_signed(const struct px *a, const struct px *b)
{
	return (may_be_negative(a) || may_be_negative(b)) && !has_no_room(a) && !has_no_room(b);
}

static struct value eval_binary(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]), b = eval(v, e->kids[1]);
	int class = op_table[e->c_op].class;

	if (e->c_op == OP_AND)
		return number(is_true(a) && is_true(b));
	if (e->c_op == OP_OR)
		return number(is_true(a) || is_true(b));
	if (e->kids[0]->type.kind == TY_STRING)
		return number(!a.none && !b.none && str_eq(a.text, b.text) == (e->c_op == OP_EQ));
	if (class == CLASS_COMPARE || class == CLASS_EQUAL)
		return number(!a.none && !b.none &&
			      compare(e->c_op, a.bits, b.bits, are_signed(e->kids[0], e->kids[1])));
	if (a.none || b.none)
		return no_value;
	return number(arithmetic(v, e->c_op, a.bits, b.bits, e->type.is_signed));
}

static struct value eval_unary(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]);

	if (e->c_op == OP_NOT)
		return number(!is_true(a));
	return a.none ? a : number(e->c_op == OP_INV ? UINT64_MAX - a.bits : ~a.bits + 1);
}

static struct value eval_in(struct eval *v, const struct px *e)
{
	struct value a = eval(v, e->kids[0]);
	bool found = false;

	for (int i = 1; i < e->n_kids; i++)
		found = found || values_equal(eval(v, e->kids[i]), a);
	return number(!a.none && found);
}

static struct str behind(struct str s)
{
	return (struct str){ s.p + 1, s.n - 1 };
}

/* `[a-c]`, `[^a]`: the rest behind it, and whether it has the byte. */
static struct str glob_class(struct str glob, char byte, bool *has)
{
	bool turned = glob.p[1] == '^' || glob.p[1] == '!';
	int i = 1 + turned, first = i;

	*has = false;
	for (; i < glob.n && (glob.p[i] != ']' || i == first); i++)
		if (i + 2 < glob.n && glob.p[i + 1] == '-' && glob.p[i + 2] != ']') {
			*has = *has || (byte >= glob.p[i] && byte <= glob.p[i + 2]);
			i += 2;
		} else {
			*has = *has || byte == glob.p[i];
		}
	*has = *has != turned;
	return (struct str){ glob.p + i + 1, glob.n - i - 1 };
}

static bool glob_holds(struct str glob, struct str text)
{
	bool has = true;

	if (!glob.n)
		return !text.n;
	if (glob.p[0] == '*')
		return glob_holds(behind(glob), text) || (text.n && glob_holds(glob, behind(text)));
	if (!text.n)
		return false;
	if (glob.p[0] == '[') {
		glob = glob_class(glob, text.p[0], &has);
		return has && glob_holds(glob, behind(text));
	}
	if (glob.p[0] == '\\')
		glob = behind(glob);
	else if (glob.p[0] == '?')
		return glob_holds(behind(glob), behind(text));
	return glob.p[0] == text.p[0] && glob_holds(behind(glob), behind(text));
}

static struct value eval_call(struct eval *v, const struct px *e)
{
	const struct told_row *row = told_find(e->func);
	struct told t = { .e = e, .a = eval(v, e->kids[0]), .is_signed = e->kids[0]->type.is_signed,
			  .arena = v->arena };

	t.b = e->n_kids > 1 ? eval(v, e->kids[1]) : t.a;
	if (!row)
		v->unknown = e->func->name;
	return !row || t.a.none || t.b.none ? no_value : row->of(&t);
}

static struct value eval_field(struct eval *v, const struct px *e)
{
	for (int f = 0; f < FIELDS; f++)
		if (!strcmp(e->field->name, fields[f].name) || !strcmp(e->field->name, fields[f].live))
			return v->at->fields[f];
	if (!strcmp(e->field->name, "tid"))
		return number((uint64_t)v->at->tid);
	if (strcmp(e->field->name, "comm"))	/* made events have none */
		v->unknown = e->field->name;
	return no_value;
}

static struct value eval_common(struct eval *v, const struct px *e)
{
	switch (e->common) {
	case COMMON_TIME: return number(v->at->time_ns);
	case COMMON_TID: case COMMON_PID: return number((uint64_t)v->at->tid);	/* live not culprit's: no more is asked */
	case COMMON_CPU: return number((uint64_t)v->at->cpu);
	case COMMON_EVENT: return number(v->at->kind);	/* is not compared */
	case COMMON_COMM: return no_value;
	}
	v->unknown = "a common field";
	return no_value;
}

/* The latest of the look's that is open now, or NULL. Live a thread's number is no expression. */
static const struct opened *find_looked(struct eval *v, const struct p_look *look)
{
	bool by_thread = look->period->by_thread && !look->by_key;
	int n = look->by_key ? look->period->n_keys : 1;
	struct value keys[PERIOD_KEYS] = { number((uint64_t)v->at->tid) };

	for (int k = 0; k < n && look->keys; k++)
		keys[k] = eval(v, look->keys[k]);
	for (int i = v->opened->n - 1; i >= 0; i--) {
		const struct opened *o = v->opened->v[i];
		bool is = o->period == look->period && o->from < v->step && v->step < o->to;

		for (int k = 0; k < n; k++)
			is = is && !keys[k].none && values_equal(by_thread ? o->thread : o->keys[k], keys[k]);
		if (is)
			return o;
	}
	return NULL;
}

static struct value eval_open(struct eval *v, const struct px *e)
{
	const struct opened *o = find_looked(v, e->look);

	if (!o)
		return no_value;
	return e->op == PX_OPEN ? number(1) : e->op == PX_OPEN_TIME ? number(o->begun->at->time_ns)
						: o->begun->slots[e->index];
}

static struct value eval_node(struct eval *v, const struct px *e)
{
	struct value a;

	switch (e->op) {
	case PX_NUMBER: return number((uint64_t)e->number);
	case PX_TEXT: return (struct value){ .text = e->text };
	case PX_MATCH:
		a = eval(v, e->kids[0]);
		return number(!a.none && glob_holds(e->text, a.text));
	case PX_NONE: return no_value;
	case PX_FIELD: return eval_field(v, e);
	case PX_COMMON: return eval_common(v, e);
	case PX_FOLLOWED: return number(1);
	case PX_SLOT: return v->begun->slots[e->index];
	case PX_BEGIN_TIME: return number(v->begun->at->time_ns);
	case PX_DURATION: return number(v->at->time_ns - v->begun->at->time_ns);
	case PX_OPEN: case PX_OPEN_SLOT: case PX_OPEN_TIME: return eval_open(v, e);
	case PX_LET: return v->lets[e->index];
	case PX_TREE_ROWS: return number(v->tree_rows);
	case PX_UNARY: return eval_unary(v, e);
	case PX_BINARY: return eval_binary(v, e);
	case PX_COND: return eval(v, e->kids[is_true(eval(v, e->kids[0])) ? 1 : 2]);
	case PX_IN: return eval_in(v, e);
	case PX_CALL: return eval_call(v, e);
	case PX_ELSE:
		a = eval(v, e->kids[0]);
		return a.none ? eval(v, e->kids[1]) : a;
	case PX_NARROW:
		a = eval(v, e->kids[0]);
		return a.none ? a : number(cut(a.bits, 8 * e->type.size, e->type.is_signed));
	}
	v->unknown = "an expression";
	return no_value;
}

static const char *too_wide(struct eval *v, const struct px *e)
{
	struct buf b = { 0 };
	const char *said;

	px_print(e, &b);
	said = arena_printf(v->arena, "no room in its type for %.*s", (int)b.n, b.p);
	buf_fini(&b);
	return said;
}

/* ... which its type has room for. */
static struct value eval(struct eval *v, const struct px *e)
{
	struct value a = eval_node(v, e);

	if (e->op != PX_NUMBER && !a.none && !a.text.p && cut(a.bits, 8 * e->type.size, e->type.is_signed) != a.bits)
		v->unknown = too_wide(v, e);
	return a;
}

/* The key, mixed by Fibonacci hashing. */
static bool is_sampled(struct eval *v, const struct p_step *s)
{
	struct value key = eval(v, s->expr);
	uint64_t hash = key.bits * 0x9e3779b97f4a7c15;

	return !key.none && (hash ^ hash >> 32) % s->n == 0;
}

static bool step_holds(struct eval *v, const struct p_step *s)
{
	switch (s->kind) {
	case STEP_LET: v->lets[s->let] = eval(v, s->expr); return true;
	case STEP_WHERE: return is_true(eval(v, s->expr));
	case STEP_FIRST: return !v->counts || v->counts[s->global]++ < s->n;
	default: return !v->counts || s->n < 2 || (s->expr ? is_sampled(v, s) : v->counts[s->global]++ % s->n == 0);
	}
}

/* Does the row pass? Its lets are made on the way. */
static bool passes(struct eval *v, const struct p_branch *b)
{
	for (int i = 0; i < b->steps.n; i++)
		if (!step_holds(v, &b->steps.v[i]))
			return false;
	return true;
}

static struct value value_of_cell(const struct cell *c)
{
	if (c->kind == CELL_BYTES)
		return (struct value){ .text = { c->bytes.p, c->bytes.n } };
	return c->kind == CELL_NONE ? no_value : number((uint64_t)c->i);
}

#endif
