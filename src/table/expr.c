/*
 * Expressions over columns. See expr.h and stage.h.
 *
 * The rules: numbers are real; an operand that is none makes the result none,
 * but a comparison with none is false, as is none as a condition (of `!`, `&&`, `||`,
 * `?:`): the same as in rows (plan/check_op.c); division by zero is none; text can be
 * compared and matched, and an enum's value compares with text by its name.
 * What operators make of numbers is in op.c, the values of functions are in func/.
 */
#include "table/expr.h"

#include <stdlib.h>

#include "table/op.h"

struct tx_value tx_number(long double x)
{
	if (x != x || x - x != 0)	/* NaN and infinities are no result */
		return tx_none;
	return (struct tx_value){ .kind = V_NUMBER, .number = x };
}

struct tx_value tx_text(struct str s)
{
	return (struct tx_value){ .kind = V_TEXT, .text = s };
}

bool tx_true(struct tx_value v)
{
	return v.kind == V_TEXT ? v.text.n > 0 : v.kind != V_NONE && v.number != 0;
}

/* ---- operators ---- */

/* Where the other side is text, an enum's value is its name. */
static struct tx_value named(struct tx_value v)
{
	const char *name;
	int64_t i;

	if (v.kind != V_NUMBER || !v.en || !op_fits_word(v.number, &i))
		return v;
	name = enum_name(v.en, i);
	return name ? tx_text(str_of(name)) : v;
}

int tx_order(struct tx_value a, struct tx_value b)
{
	int n, c;

	if (a.kind == V_TEXT)
		b = named(b);
	else if (b.kind == V_TEXT)
		a = named(a);
	if (a.kind == V_AT_LEAST && b.kind == V_NUMBER && a.number > b.number)
		return 1;
	if (b.kind == V_AT_LEAST && a.kind == V_NUMBER && b.number > a.number)
		return -1;
	if (a.kind != b.kind || a.kind == V_NONE || a.kind == V_AT_LEAST)
		return 2;
	if (a.kind == V_NUMBER)
		return (a.number > b.number) - (a.number < b.number);
	n = a.text.n < b.text.n ? a.text.n : b.text.n;
	c = n ? memcmp(a.text.p, b.text.p, (size_t)n) : 0;
	return c ? (c > 0) - (c < 0) : (a.text.n > b.text.n) - (a.text.n < b.text.n);
}

static struct tx_value compare(int op, struct tx_value a, struct tx_value b)
{
	int sign = tx_order(a, b);

	if (sign == 2)		/* a text is not any number; none is neither */
		return tx_number(op == OP_NE && (a.kind == V_TEXT || b.kind == V_TEXT) &&
				 a.kind && b.kind);
	return tx_number(op_holds(op, sign));
}

static struct tx_value binary(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	struct tx_value a = tx_eval(run, x->kids[0], row), b;

	if (x->c_op == OP_AND)
		return tx_number(tx_true(a) && tx_true(tx_eval(run, x->kids[1], row)));
	if (x->c_op == OP_OR)
		return tx_number(tx_true(a) || tx_true(tx_eval(run, x->kids[1], row)));
	b = tx_eval(run, x->kids[1], row);
	if (op_compares(x->c_op))
		return compare(x->c_op, a, b);
	if (a.kind != V_NUMBER || b.kind != V_NUMBER)
		return tx_none;
	return tx_number(op_real(x->c_op, a.number, b.number, x->type.is_signed));
}

static struct tx_value unary(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	struct tx_value v = tx_eval(run, x->kids[0], row);

	if (x->c_op == OP_NOT)
		return tx_number(!tx_true(v));
	return v.kind == V_NUMBER ? tx_number(op_real(x->c_op, v.number, 0, x->type.is_signed)) : tx_none;
}

/* ---- the other nodes ---- */

static struct tx_value cond(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	bool holds = tx_true(tx_eval(run, x->kids[0], row));

	return tx_eval(run, x->kids[holds ? 1 : 2], row);
}

static struct tx_value match(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	struct tx_value v = named(tx_eval(run, x->kids[0], row));

	return tx_number(v.kind == V_TEXT && x->text && str_glob(str_of(x->text), v.text));
}

static struct tx_value in(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	struct tx_value v = tx_eval(run, x->kids[0], row);

	for (int i = 1; i < x->n_kids; i++)
		if (!tx_order(v, tx_eval(run, x->kids[i], row)))
			return tx_number(1);
	return tx_number(0);
}

static struct tx_value literal(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	(void)run, (void)row;
	return x->op == TX_NUMBER ? tx_number(x->number) : tx_text(str_of(x->text));
}

static struct tx_value column(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	return tx_column(run, x->column, row);
}

static struct tx_value call(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	return x->value(run, x, row);
}

static const struct {
	struct tx_value (*eval)(const struct tx_run *run, const struct tx *x,
				const struct cell *row);
	int kids_least;
} nodes[] = {
	[TX_NUMBER] = { .eval = literal },
	[TX_TEXT] = { .eval = literal },
	[TX_COLUMN] = { .eval = column },
	[TX_UNARY] = { .eval = unary, .kids_least = 1 },
	[TX_BINARY] = { .eval = binary, .kids_least = 2 },
	[TX_COND] = { .eval = cond, .kids_least = 3 },
	[TX_MATCH] = { .eval = match, .kids_least = 1 },
	[TX_IN] = { .eval = in, .kids_least = 1 },
	[TX_CALL] = { .eval = call },
};

struct tx_value tx_eval(const struct tx_run *run, const struct tx *x, const struct cell *row)
{
	if (x->n_kids < nodes[x->op].kids_least)
		return tx_none;
	return nodes[x->op].eval(run, x, row);
}

/* ---- cells ---- */

static struct tx_value bytes_value(struct arena *a, const struct type *t, const struct cell *c)
{
	struct buf b = { 0 };
	struct str s;

	if (t->kind == TY_STRING)
		return tx_text((struct str){ c->bytes.p, c->bytes.n });
	cell_text(&b, t, c);
	s = (struct str){ arena_strndup(a, b.p ? b.p : "", b.n), (int)b.n };
	buf_fini(&b);
	return tx_text(s);
}

struct tx_value tx_column(const struct tx_run *run, int i, const struct cell *row)
{
	const struct type *t = &run->table->columns[i].type;
	const struct cell *c = &row[i];
	struct tx_value v;

	switch (c->kind) {
	case CELL_INT:
		v = tx_number(t->is_signed ? (long double)c->i : (long double)(uint64_t)c->i);
		v.en = t->en;
		if (c->at_least)
			v.kind = V_AT_LEAST;
		return v;
	case CELL_REAL:
		return tx_number(c->r);
	case CELL_BYTES:
		return bytes_value(run->arena, t, c);
	}
	return tx_none;
}

static bool is_real(const struct type *t)
{
	return t->kind == TY_REAL || t->kind == TY_RATE || t->kind == TY_SHARE;
}

struct cell tx_cell(struct arena *a, const struct type *t, struct tx_value v)
{
	int64_t i;

	if (v.kind == V_NONE)
		return (struct cell){ .kind = CELL_NONE };
	if (v.kind == V_TEXT)
		return (struct cell){ .kind = CELL_BYTES,
			.bytes = { arena_strndup(a, v.text.p, (size_t)v.text.n), v.text.n } };
	if (!is_real(t) && op_fits_word(v.number, &i) &&
	    v.number == (t->is_signed ? (long double)i : (long double)(uint64_t)i))
		return (struct cell){ .kind = CELL_INT, .at_least = v.kind == V_AT_LEAST, .i = i };
	return (struct cell){ .kind = CELL_REAL, .r = (double)v.number };
}
