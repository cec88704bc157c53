/*
 * stages: what a table's stages make of its rows, evaluated by their words in docs/language.md.
 */
#ifndef ORACLE_STAGES_H
#define ORACLE_STAGES_H

#include "oracle/groups.h"

#define CELLS 16

/* A cell as stages see it: nothing, a real number, a text. */
struct real {
	enum { REAL_NONE, REAL_NUMBER, REAL_TEXT } kind;
	long double number;
	struct str text;
};

/* A value of the last interval: of a row with these keys, for the delta() of this number. */
struct remembered {
	int slot;
	struct real keys[KEYS_MOST], value;
};

typedef VEC(struct remembered) remembered_list;

/* Of one query. */
struct memory {
	remembered_list last, now;
	struct stage_memory *program;	/* what the program itself keeps */
};

struct sheet {
	struct arena *arena;
	struct memory *memory;
	int n_keys;
	struct real rows[2 * ROWS][CELLS];
	int order[2 * ROWS];		/* the rows that are left */
	int n;
	const char *unknown;
};

static const struct real nothing = { .kind = REAL_NONE };

static struct real real(long double x)
{
	return isfinite(x) ? (struct real){ .kind = REAL_NUMBER, .number = x } : nothing;
}

static struct real real_of_cell(const struct type *t, const struct cell *c)
{
	switch (c->kind) {
	case CELL_INT: return real(t->is_signed ? (long double)c->i : (long double)(uint64_t)c->i);
	case CELL_REAL: return real(c->r);
	case CELL_BYTES: return (struct real){ .kind = REAL_TEXT, .text = { c->bytes.p, c->bytes.n } };
	case CELL_HIST: {
		struct real total = real(0);

		for (int i = 0; i < c->hist->n; i++)
			total.number += c->hist->rows[i].count;
		return total;
	}
	}
	return nothing;
}

/* ---- expressions ---- */

/* Less, the same, more: -1, 0, 1; 2: neither. */
static int order_of(struct real a, struct real b)
{
	int n = a.text.n < b.text.n ? a.text.n : b.text.n, c;

	if (a.kind != b.kind || !a.kind)
		return 2;
	if (a.kind == REAL_NUMBER)
		return a.number < b.number ? -1 : a.number > b.number;
	c = n ? memcmp(a.text.p, b.text.p, (size_t)n) : 0;
	return c ? (c < 0 ? -1 : 1) : a.text.n < b.text.n ? -1 : a.text.n > b.text.n;
}

static bool holds(struct real a)
{
	return a.kind == REAL_TEXT ? a.text.n > 0 : a.kind && a.number != 0;
}

/* Of 64 bits; what has no such word is none. */
static bool word_of(long double x, uint64_t *word)
{
	if (x >= 0x1p64L || x < -0x1p63L)
		return false;
	*word = x < 0 ? -(uint64_t)-x : (uint64_t)x;
	return true;
}

/* What bits show; a number that has no room for a sign has none. */
static struct real of_word(uint64_t word, bool is_signed)
{
	return real(is_signed ? (long double)(int64_t)word : (long double)word);
}

static bool has_sign(const struct tx *x, long double a, long double b)
{
	return x->type.is_signed && a < 0x1p63L && (b < 0x1p63L || x->c_op == OP_SHL || x->c_op == OP_SHR);
}

static struct real compute(struct sheet *s, const struct tx *x, long double a, long double b)
{
	struct eval v = { 0 };
	uint64_t m, n;
	struct real whole;
	bool is_signed = has_sign(x, a, b);

	switch (x->c_op) {
	case OP_ADD: return real(a + b);
	case OP_SUB: return real(a - b);
	case OP_MUL: return real(a * b);
	case OP_DIV: return b != 0 ? real(a / b) : nothing;
	case OP_MOD: return b != 0 && word_of(a / b, &m) ? real(a - b * truncl(a / b)) : nothing;
	}
	if (!word_of(a, &m) || !word_of(b, &n))
		return nothing;
	whole = of_word(arithmetic(&v, x->c_op, m, n, is_signed), is_signed);
	s->unknown = v.unknown ? v.unknown : s->unknown;
	return whole;
}

static struct real work_out(struct sheet *s, const struct tx *x, const struct real *row);

static bool is_so(int op, struct real a, struct real b)
{
	int order = order_of(a, b);

	if (order == 2)
		return op == OP_NE && a.kind && b.kind;
	return op == OP_EQ ? !order : op == OP_NE ? order : op == OP_LT ? order < 0 : op == OP_LE ? order <= 0 :
	       op == OP_GT ? order > 0 : order >= 0;
}

static struct real work_out_binary(struct sheet *s, const struct tx *x, const struct real *row)
{
	struct real a = work_out(s, x->kids[0], row), b = work_out(s, x->kids[1], row);
	int class = op_table[x->c_op].class;

	if (x->c_op == OP_AND)
		return real(holds(a) && holds(b));
	if (x->c_op == OP_OR)
		return real(holds(a) || holds(b));
	if (class == CLASS_COMPARE || class == CLASS_EQUAL)
		return real(is_so(x->c_op, a, b));
	return a.kind == REAL_NUMBER && b.kind == REAL_NUMBER ? compute(s, x, a.number, b.number) : nothing;
}

static struct real work_out_unary(struct sheet *s, const struct tx *x, const struct real *row)
{
	struct real a = work_out(s, x->kids[0], row);
	uint64_t word;

	if (x->c_op == OP_NOT)
		return real(!holds(a));
	if (!a.kind)
		return a;
	if (x->c_op == OP_INV)
		return word_of(a.number, &word) ? of_word(~word, has_sign(x, a.number, 0)) : nothing;
	return real(-a.number);
}

static bool is_same_key(const struct real *a, const struct real *b, int n)
{
	for (int k = 0; k < n; k++)
		if (a[k].kind != b[k].kind || (a[k].kind && order_of(a[k], b[k])))
			return false;
	return true;
}

/* A new key counts from 0. */
static struct real work_out_delta(struct sheet *s, const struct tx *x, const struct real *row)
{
	if (!row[x->column].kind)
		return nothing;
	for (int i = 0; i < s->memory->last.n; i++) {
		const struct remembered *r = &s->memory->last.v[i];

		if (r->slot == x->slot && is_same_key(r->keys, row, s->n_keys))
			return real(row[x->column].number - r->value.number);
	}
	return row[x->column];
}

/* Of the rows that are there where the column is new what x will ask of it in the next interval. */
static void remember(struct sheet *s, const struct tx *x, int first, int n)
{
	for (int i = 0; i < x->n_kids; i++)
		remember(s, x->kids[i], first, n);
	for (int i = 0; i < s->n && x->needs == TX_NEEDS_LAST && x->column >= first && x->column < first + n; i++) {
		const struct real *row = s->rows[s->order[i]];
		struct remembered r = { .slot = x->slot, .value = row[x->column] };

		for (int k = 0; k < s->n_keys; k++) {
			r.keys[k] = row[k];	/* a text is the interval's */
			if (row[k].kind == REAL_TEXT)
				r.keys[k].text.p = arena_strndup(s->arena, row[k].text.p, (size_t)row[k].text.n);
		}
		if (r.value.kind)
			vec_push(s->arena, &s->memory->now, r);
	}
}

static void remember_all(struct sheet *s, const struct p_query *q, int first, int n)
{
	for (int i = 0; i < q->stages.n; i++)
		if (q->stages.v[i].expr)
			remember(s, q->stages.v[i].expr, first, n);
}

static struct real work_out_call(struct sheet *s, const struct tx *x, const struct real *row)
{
	struct real a = x->n_kids ? work_out(s, x->kids[0], row) : row[x->column];
	struct real b = x->n_kids > 1 ? work_out(s, x->kids[1], row) : a;
	long double sum = 0;
	int sign = x->value == func_min.value ? -1 : 1;

	if (x->value == func_delta.value)
		return work_out_delta(s, x, row);
	if (!a.kind || !b.kind)
		return nothing;
	if (x->value == func_share.value) {
		for (int i = 0; i < s->n; i++)
			sum += s->rows[s->order[i]][x->column].number;
		return sum != 0 ? real(row[x->column].number / sum) : nothing;
	}
	if (x->value == func_abs.value)
		return real(fabsl(a.number));
	if (x->value != func_min.value && x->value != func_max.value)
		s->unknown = "a table's function";
	return order_of(b, a) == sign ? b : a;
}

static struct real work_out(struct sheet *s, const struct tx *x, const struct real *row)
{
	struct real a;
	bool found = false;

	switch (x->op) {
	case TX_NUMBER: return real(x->number);
	case TX_TEXT: return (struct real){ .kind = REAL_TEXT, .text = str_of(x->text) };
	case TX_COLUMN: return row[x->column];
	case TX_UNARY: return work_out_unary(s, x, row);
	case TX_BINARY: return work_out_binary(s, x, row);
	case TX_CALL: return work_out_call(s, x, row);
	case TX_COND:
		return work_out(s, x->kids[holds(work_out(s, x->kids[0], row)) ? 1 : 2], row);
	case TX_MATCH:
		a = work_out(s, x->kids[0], row);
		return real(a.kind == REAL_TEXT && glob_holds(str_of(x->text), a.text));
	case TX_IN:
		a = work_out(s, x->kids[0], row);
		for (int i = 1; i < x->n_kids; i++)
			found = found || !order_of(a, work_out(s, x->kids[i], row));
		return real(found);
	}
	s->unknown = "a table's expression";
	return nothing;
}

/* ---- stages ---- */

static void filter(struct sheet *s, const struct tx *x)
{
	struct sheet before = *s;

	s->n = 0;
	for (int i = 0; i < before.n; i++)
		if (holds(work_out(&before, x, before.rows[before.order[i]])))
			s->order[s->n++] = before.order[i];
}

/* A number that its column has no room for is kept as a double. */
static void add(struct sheet *s, const struct tstage *st, int column)
{
	struct real made[2 * ROWS];
	uint64_t word;

	for (int i = 0; i < s->n; i++) {
		const struct type *t = &st->column.type;
		struct real *r = &made[i];
		bool is_real = t->kind == TY_REAL || t->kind == TY_RATE || t->kind == TY_SHARE;

		*r = work_out(s, st->expr, s->rows[s->order[i]]);
		if (r->kind == REAL_NUMBER &&
		    (is_real || !word_of(r->number, &word) ||
		     (t->is_signed ? (long double)(int64_t)word : (long double)word) != r->number))
			r->number = (double)r->number;
	}
	for (int i = 0; i < s->n; i++)
		s->rows[s->order[i]][column] = made[i];
}

/* None is less than anything; equal rows are in the order of their keys. */
static bool comes_before(const struct sheet *s, int a, int b, int by, bool descending, int n_keys)
{
	int order = 0;

	for (int k = -1; k < n_keys && !order; k++) {
		const struct real *x = &s->rows[a][k < 0 ? by : k], *y = &s->rows[b][k < 0 ? by : k];

		order = x->kind && y->kind ? order_of(*x, *y) : (int)!!x->kind - (int)!!y->kind;
		if (k < 0 && descending)
			order = -order;
	}
	return order < 0;
}

static void sort(struct sheet *s, int by, bool descending, int n_keys)
{
	for (int i = 1; i < s->n; i++)
		for (int k = i; k && comes_before(s, s->order[k], s->order[k - 1], by, descending, n_keys); k--) {
			int swap = s->order[k];

			s->order[k] = s->order[k - 1];
			s->order[k - 1] = swap;
		}
}

static void choose(struct sheet *s, const struct tstage *st)
{
	for (int i = 0; i < s->n; i++) {
		struct real *row = s->rows[s->order[i]], chosen[CELLS];

		for (int c = 0; c < st->n; c++)
			chosen[c] = row[st->columns[c]];
		memcpy(row, chosen, sizeof(*row) * (size_t)st->n);
	}
}

/* The row with these keys, made where there is none yet: then each value is missing. */
static struct real *row_for(struct sheet *s, const struct p_query *q, const struct real *keys, int n_keys)
{
	struct real *row;
	int at = n_keys;

	for (int i = 0; i < s->n; i++) {
		bool same = true;

		for (int k = 0; k < n_keys; k++)
			same = same && s->rows[i][k].kind == keys[k].kind &&
			       (!keys[k].kind || !order_of(s->rows[i][k], keys[k]));
		if (same)
			return s->rows[i];
	}
	s->order[s->n] = s->n;
	row = s->rows[s->n++];
	for (int k = 0; k < n_keys; k++)
		row[k] = keys[k];
	for (int p = 0; p < q->parts.n; p++)
		for (int i = 0; i < q->parts.v[p]->n_aggs; i++) {
			const char *name = q->parts.v[p]->aggs[i].ops->name;
			bool adds = !strcmp(name, "count") || !strcmp(name, "sum") || !strcmp(name, "sequential");

			row[at++] = adds ? real(0) : nothing;
		}
	return row;
}

/* All tables beside each other. */
static void sheet_of(struct sheet *s, const struct p_query *q, struct table *const *tables, int n, int n_keys)
{
	int first = n_keys;

	for (int i = 0; i < n; i++) {
		const struct table *t = tables[i];

		for (int r = 0; r < t->rows.n; r++) {
			struct real cells[CELLS];

			for (int c = 0; c < t->n_columns; c++)
				cells[c] = real_of_cell(&t->columns[c].type, &t->rows.v[r][c]);
			memcpy(row_for(s, q, cells, n_keys) + first, cells + n_keys,
			       sizeof(cells[0]) * (size_t)(t->n_columns - n_keys));
		}
		first += t->n_columns - n_keys;
	}
}

static void work_out_stages(struct sheet *s, const struct p_query *q, int n_keys, int columns)
{
	s->memory->last = s->memory->now;
	s->memory->now = (remembered_list){ 0 };
	remember_all(s, q, 0, columns);
	for (int i = 0; i < q->stages.n; i++) {
		const struct tstage *st = &q->stages.v[i];

		switch (st->kind) {
		case TS_WHERE: filter(s, st->expr); break;
		case TS_LET:
			add(s, st, columns);
			remember_all(s, q, columns++, 1);
			break;
		case TS_PRINT: choose(s, st); break;
		default:
			sort(s, st->by < 0 ? n_keys : st->by, st->descending, n_keys);
			if (st->kind == TS_TOP && s->n > st->n)
				s->n = (int)st->n;
		}
	}
}

/* As the program joins them. */
static struct table *join(struct arena *a, const struct p_query *q, struct table *const *tables)
{
	const bool **zero = arena_array(a, const bool *, q->parts.n);

	for (int i = 0; i < q->parts.n; i++) {
		const struct p_query *part = q->parts.v[i];
		bool *of = arena_array(a, bool, part->n_out);

		for (int k = 0; k < part->n_aggs; k++)
			of[part->n_keys + k] = part->aggs[k].ops->zero_if_missing;
		zero[i] = of;
	}
	return table_join(a, tables, q->parts.n, zero);
}

/* Runs the stages over the tables, which their aggregations are right in. NULL: it has what it should. */
static const char *stages_differ(struct arena *a, const struct p_query *q, struct table *const *tables, int n,
				 struct memory *memory, int *column)
{
	struct sheet *s = arena_new(a, struct sheet);
	int n_keys = q->parts.n ? q->parts.v[0]->n_keys : q->n_keys;
	struct table *t = q->parts.n ? join(a, q, tables) : tables[0];

	*s = (struct sheet){ .arena = a, .memory = memory, .n_keys = n_keys };
	sheet_of(s, q, tables, n, n_keys);
	work_out_stages(s, q, n_keys, t->n_columns);
	stages_run(a, q->stages.v, q->stages.n, t, &(struct stage_env){ .memory = memory->program });
	if (s->unknown || t->rows.n != s->n)
		return s->unknown ? s->unknown : "another number of rows behind the stages";
	for (int i = 0; i < s->n; i++)
		for (int c = 0; c < t->n_columns; c++) {
			struct real is = real_of_cell(&t->columns[c].type, &t->rows.v[i][c]), want = s->rows[s->order[i]][c];

			*column = c;
			if (is.kind != want.kind || (is.kind && order_of(is, want)))
				return arena_printf(a, "row %d behind the stages has %.17Lg for %.17Lg", i, is.number, want.number);
		}
	return NULL;
}

#endif
