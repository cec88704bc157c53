/*
 * Table stages: where, let, sort, top, print. See stage.h.
 *
 * Every stage is a function over the whole table, a row of `kinds`. Expressions
 * are expr.c's; this file gives them what goes beyond a row: the sums of
 * share() and the last interval of delta(). Memory of delta() is bounded by
 * the rows of one interval: an older one is forgotten.
 */
#include "table/stage.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "table/expr.h"
#include "table/keys.h"

/* ---- what delta() remembers ---- */

struct stage_memory {
	struct generation {
		struct arena arena;
		struct map values;		/* slot and keys -> struct tx_value */
	} now, last;
};

struct stage_memory *stage_memory_open(void)
{
	return xcalloc(1, sizeof(struct stage_memory));
}

void stage_memory_close(struct stage_memory *m)
{
	if (!m)
		return;
	arena_fini(&m->now.arena);
	arena_fini(&m->last.arena);
	free(m);
}

static void next_interval(struct stage_memory *m)
{
	arena_fini(&m->last.arena);
	m->last = m->now;
	m->now = (struct generation){ 0 };
}

static void memory_key(struct buf *b, const struct table *t, int slot, const struct cell *row)
{
	bool other = t->other && t->rows.n && row == t->rows.v[t->rows.n - 1];

	buf_clear(b);
	buf_add(b, &slot, sizeof(slot));
	buf_putc(b, other);
	keys_add(b, t, row);
}

struct recall {
	struct stage_memory *memory;
	bool peeks;
	const struct table *table;
	struct buf key;
};

static struct tx_value recall(void *self, const struct tx *at, const struct cell *row)
{
	struct recall *r = self;
	struct tx_value *v;

	memory_key(&r->key, r->table, at->slot, row);
	v = map_get(r->peeks ? &r->memory->now.values : &r->memory->last.values, r->key.p, (int)r->key.n);
	return v ? *v : (struct tx_value){ .kind = V_NUMBER };	/* a new key: from 0 */
}

static void remember(struct recall *r, const struct tx_run *run, const struct tx *at)
{
	struct generation *now = &r->memory->now;

	for (int i = 0; i < run->table->rows.n; i++) {
		const struct cell *row = run->table->rows.v[i];
		struct tx_value v = tx_column(run, at->column, row);
		void **place;

		if (v.kind != V_NUMBER && v.kind != V_AT_LEAST)
			continue;
		memory_key(&r->key, r->table, at->slot, row);
		place = map_put(&now->arena, &now->values, r->key.p, (int)r->key.n);
		if (!*place)
			*place = arena_new(&now->arena, struct tx_value);
		*(struct tx_value *)*place = v;
	}
}

/* ---- one expression over all rows ---- */

/* NAN where nobody knows it. */
static long double column_sum(const struct tx_run *run, int column)
{
	long double sum = 0;

	for (int i = 0; i < run->table->rows.n; i++) {
		struct tx_value v = tx_column(run, column, run->table->rows.v[i]);

		if (v.kind == V_AT_LEAST)
			return NAN;
		if (v.kind == V_NUMBER)
			sum += v.number;
	}
	return sum;
}

/* Finds what looks beyond the row, before any row is evaluated. */
static void prepare(struct tx_run *run, const struct tx *x)
{
	if (x->needs == TX_NEEDS_SUM)
		vec_push(run->arena, &run->sums,
			 ((struct tx_sum){ x, column_sum(run, x->column) }));
	for (int i = 0; i < x->n_kids; i++)
		prepare(run, x->kids[i]);
}

static void run_open(struct tx_run *run, struct recall *r, const struct tx *x)
{
	if (r->memory)
		run->last = recall;
	run->self = r;
	prepare(run, x);
}

/* ---- the stages ---- */

struct context {
	struct arena *arena;
	struct table *table;
	const struct stage_env *env;
};

#define RECALL(c) { .memory = (c)->env ? (c)->env->memory : NULL, \
		    .peeks = (c)->env && (c)->env->peeks, .table = (c)->table }
#define RUN(c) { .arena = (c)->arena, .table = (c)->table, .env = (c)->env }

static void stage_where(struct context *c, const struct tstage *s)
{
	struct table *t = c->table;
	struct recall r = RECALL(c);
	struct tx_run run = RUN(c);
	int kept = 0, n = t->rows.n;
	bool other = t->other;

	run_open(&run, &r, s->expr);
	for (int i = 0; i < n; i++) {
		struct cell *row = t->rows.v[i];
		bool keep = tx_true(tx_eval(&run, s->expr, row));

		if (keep)
			t->rows.v[kept++] = row;
		else if (i == n - 1)
			other = false;
	}
	t->rows.n = kept;
	t->other = other && kept;
	buf_fini(&r.key);
}

/* Keeps what x, an expression of any stage, asks delta() of in the columns from `from` on. */
static void remember_columns(const struct context *c, const struct tx *x, int from)
{
	struct tx_run run = RUN(c);
	struct recall r = RECALL(c);

	if (x->needs == TX_NEEDS_LAST && x->column >= from && x->column < c->table->n_columns)
		remember(&r, &run, x);
	for (int i = 0; i < x->n_kids; i++)
		remember_columns(c, x->kids[i], from);
	buf_fini(&r.key);
}

/* stages_run made room for the cell. */
static void stage_let(struct context *c, const struct tstage *s)
{
	struct table *t = c->table;
	struct recall r = RECALL(c);
	struct tx_run run = RUN(c);

	run_open(&run, &r, s->expr);
	for (int i = 0; i < t->rows.n; i++) {
		struct cell *row = t->rows.v[i];

		row[t->n_columns] = tx_cell(c->arena, &s->column.type,
					    tx_eval(&run, s->expr, row));
	}
	t->columns[t->n_columns++] = s->column;
	buf_fini(&r.key);
}

/* Equal values are in the order of their keys, so that output is the same
 * however the rows came. */
static int row_order(const struct table *t, const struct tstage *s, const struct cell *a, const struct cell *b)
{
	int order = cell_compare(&t->columns[s->by].type, &a[s->by], &b[s->by]);

	if (order)
		return s->descending ? -order : order;
	for (int i = 0; i < t->n_columns && !order; i++)
		if (t->columns[i].role == COL_KEY)
			order = cell_compare(&t->columns[i].type, &a[i], &b[i]);
	return order;
}

static void merge(const struct table *t, const struct tstage *s, struct cell **from, struct cell **to, int n, int width)
{
	for (int lo = 0; lo < n; lo += 2 * width) {
		int mid = n - lo < width ? n : lo + width;
		int hi = n - mid < width ? n : mid + width;
		int i = lo, j = mid;

		for (int k = lo; k < hi; k++) {
			bool left = j >= hi ||
				(i < mid && row_order(t, s, from[i], from[j]) <= 0);

			to[k] = left ? from[i++] : from[j++];
		}
	}
}

static void stage_sort(struct context *c, const struct tstage *s)
{
	struct table *t = c->table;
	int n = t->rows.n - t->other;
	struct cell **from = t->rows.v, **to;

	if (n < 2 || !t->n_columns)
		return;
	to = arena_array(c->arena, struct cell *, t->rows.n);
	for (int width = 1; width < n; width = width > n / 2 ? n : 2 * width) {
		struct cell **swap = from;

		merge(t, s, from, to, n, width);
		from = to;
		to = swap;
	}
	if (from == t->rows.v)
		return;
	for (int i = 0; i < n; i++)
		t->rows.v[i] = from[i];
}

static void stage_top(struct context *c, const struct tstage *s)
{
	struct table *t = c->table;
	int n = t->rows.n - t->other;

	stage_sort(c, s);
	if (s->n < 0 || n <= s->n)
		return;
	if (t->other)
		t->rows.v[s->n] = t->rows.v[t->rows.n - 1];
	t->rows.n = (int)s->n + t->other;
}

static void stage_print(struct context *c, const struct tstage *s)
{
	struct table *t = c->table;
	struct column *columns = arena_array(c->arena, struct column, s->n);

	for (int i = 0; i < s->n; i++)
		columns[i] = t->columns[s->columns[i]];
	for (int r = 0; r < t->rows.n; r++) {
		struct cell *row = arena_array(c->arena, struct cell, s->n);

		for (int i = 0; i < s->n; i++)
			row[i] = t->rows.v[r][s->columns[i]];
		t->rows.v[r] = row;
	}
	t->columns = columns;
	t->n_columns = (int)s->n;
}

static void (*const kinds[])(struct context *c, const struct tstage *s) = {
	[TS_WHERE] = stage_where,
	[TS_LET] = stage_let,
	[TS_SORT] = stage_sort,
	[TS_TOP] = stage_top,
	[TS_PRINT] = stage_print,
};

/* Room for the columns that the lets append, once for all of them. */
static void widen(struct arena *a, struct table *t, int more)
{
	struct column *columns = arena_array(a, struct column, t->n_columns + more);
	size_t row_bytes = sizeof(struct cell) * (size_t)t->n_columns;

	if (t->n_columns)
		memcpy(columns, t->columns, sizeof(*columns) * (size_t)t->n_columns);
	t->columns = columns;
	for (int i = 0; i < t->rows.n; i++) {
		struct cell *row = arena_array(a, struct cell, t->n_columns + more);

		if (row_bytes)
			memcpy(row, t->rows.v[i], row_bytes);
		t->rows.v[i] = row;
	}
}

void stages_run(struct arena *a, const struct tstage *stages, int n, struct table *t,
		const struct stage_env *env)
{
	struct context c = { a, t, env };
	bool learns = env && env->memory && !env->peeks;
	int lets = 0;

	for (int i = 0; i < n; i++)
		lets += stages[i].kind == TS_LET;
	if (lets)
		widen(a, t, lets);
	if (learns)
		next_interval(env->memory);
	for (int i = 0, from = 0; i < n; i++) {
		/* of all rows, also those that a stage will leave out */
		for (int k = i; learns && k < n && from < t->n_columns; k++)
			if (stages[k].expr)
				remember_columns(&c, stages[k].expr, from);
		from = t->n_columns;
		kinds[stages[i].kind](&c, &stages[i]);
	}
}
