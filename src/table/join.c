/*
 * The full outer join of tables on equal keys. See stage.h.
 *
 * Rows are found through a map of their keys as bytes (keys.h). The order is
 * that of the first table's rows, then what only the second has, and so on;
 * "(other)" rows are one, the last.
 */
#include <string.h>

#include "base/map.h"
#include "table/keys.h"
#include "table/stage.h"

static void key_bytes(struct buf *b, char kind, const void *p, int n)
{
	buf_putc(b, kind);
	buf_add(b, &n, sizeof(n));
	buf_add(b, p, (size_t)n);
}

void keys_add(struct buf *b, const struct table *t, const struct cell *row)
{
	for (int i = 0; i < t->n_columns; i++) {
		const struct cell *c = &row[i];
		const char *name = NULL;

		if (t->columns[i].role != COL_KEY)
			continue;
		if (t->columns[i].type.kind == TY_EVENT && c->kind == CELL_INT)
			name = enum_name(t->columns[i].type.en, c->i);
		if (name)
			key_bytes(b, 'n', name, (int)strlen(name));
		else if (c->kind == CELL_BYTES)
			key_bytes(b, 'b', c->bytes.p, c->bytes.n);
		else if (c->kind == CELL_INT || c->kind == CELL_REAL)
			key_bytes(b, c->kind == CELL_INT ? 'i' : 'r', &c->i, sizeof(c->i));
		else
			key_bytes(b, '-', "", 0);
	}
}

/* ---- columns ---- */

static int values_of(const struct table *t)
{
	int n = 0;

	for (int i = 0; i < t->n_columns; i++)
		n += t->columns[i].role != COL_KEY;
	return n;
}

static int nth_key(const struct table *t, int nth)
{
	for (int i = 0; i < t->n_columns; i++)
		if (t->columns[i].role == COL_KEY && !nth--)
			return i;
	return -1;
}

static bool has_value(const struct enum_desc *en, int64_t value)
{
	return enum_name(en, value) != NULL;
}

static const struct enum_value *find_name(const struct enum_desc *en, const char *name)
{
	for (int i = 0; en && i < en->n; i++)
		if (!strcmp(en->values[i].name, name))
			return &en->values[i];
	return NULL;
}

/* The names of all tables' events under one numbering, the first's kept. */
static const struct enum_desc *events_merge(struct arena *a, struct table *const *tables, int n,
					    int nth)
{
	struct enum_desc *all = arena_new(a, struct enum_desc);
	int64_t next = 0;
	struct enum_value *values;
	int room = 0;

	for (int i = 0; i < n; i++) {
		int k = nth_key(tables[i], nth);

		if (k >= 0 && tables[i]->columns[k].type.en)
			room += tables[i]->columns[k].type.en->n;
	}
	all->name = "event";
	all->values = values = arena_array(a, struct enum_value, room);
	for (int i = 0; i < n; i++) {
		int k = nth_key(tables[i], nth);
		const struct enum_desc *en = k >= 0 ? tables[i]->columns[k].type.en : NULL;

		for (int j = 0; en && j < en->n; j++) {
			struct enum_value v = en->values[j];

			if (find_name(all, v.name))
				continue;
			while (i && has_value(all, next))
				next++;
			if (i)
				v.value = next;
			values[all->n++] = v;
		}
	}
	return all;
}

static void columns_join(struct arena *a, struct table *j, struct table *const *tables, int n)
{
	int at = 0;

	for (int c = 0; c < tables[0]->n_columns; c++) {
		struct column *k = &j->columns[at];

		if (tables[0]->columns[c].role != COL_KEY)
			continue;
		*k = tables[0]->columns[c];
		if (k->type.kind == TY_EVENT)
			k->type.en = events_merge(a, tables, n, at);
		at++;
	}
	for (int i = 0; i < n; i++) {
		const struct table *t = tables[i];
		bool one = values_of(t) == 1;

		for (int c = 0; c < t->n_columns; c++) {
			if (t->columns[c].role == COL_KEY)
				continue;
			j->columns[at] = t->columns[c];
			if (t->name)
				j->columns[at].name = one ? t->name :
					arena_printf(a, "%s.%s", t->name, t->columns[c].name);
			at++;
		}
	}
}

/* ---- rows ---- */

struct join {
	struct arena *arena;
	struct table *result;
	struct map rows;		/* keys -> struct cell * */
	struct cell *other;
	struct cell *missing;		/* a row of what a missing value is */
	int n_keys;
	struct buf key;
};

static struct cell zero_of(const struct type *t)
{
	if (t->kind == TY_REAL || t->kind == TY_RATE || t->kind == TY_SHARE)
		return (struct cell){ .kind = CELL_REAL };
	return (struct cell){ .kind = CELL_INT };
}

static void missing_fill(struct join *j, struct table *const *tables, int n,
			 const bool *const *zero_if_missing)
{
	int at = j->n_keys;

	for (int i = 0; i < n; i++)
		for (int c = 0; c < tables[i]->n_columns; c++) {
			if (tables[i]->columns[c].role == COL_KEY)
				continue;
			if (zero_if_missing && zero_if_missing[i] && zero_if_missing[i][c])
				j->missing[at] = zero_of(&tables[i]->columns[c].type);
			at++;
		}
}

static struct cell *row_new(struct join *j)
{
	size_t bytes = sizeof(struct cell) * (size_t)j->result->n_columns;
	struct cell *row = arena_alloc(j->arena, bytes);

	if (bytes)
		memcpy(row, j->missing, bytes);
	return row;
}

/* An event's number as the result numbers it. */
static void key_copy(const struct type *to, const struct type *from, struct cell *c)
{
	const struct enum_value *v;
	const char *name;

	if (to->kind != TY_EVENT || c->kind != CELL_INT)
		return;
	name = enum_name(from->en, c->i);
	v = name ? find_name(to->en, name) : NULL;
	if (v)
		c->i = v->value;
}

static struct cell *row_of(struct join *j, const struct table *t, const struct cell *row,
			   bool other)
{
	struct cell *to;
	void **place;
	int k = 0;

	if (other)
		return j->other ? j->other : (j->other = row_new(j));
	buf_clear(&j->key);
	buf_putc(&j->key, 'k');		/* a table without keys has one row, too */
	keys_add(&j->key, t, row);
	place = map_put(j->arena, &j->rows, j->key.p, (int)j->key.n);
	if (*place)
		return *place;
	*place = to = row_new(j);
	vec_push(j->arena, &j->result->rows, to);
	for (int c = 0; c < t->n_columns && k < j->n_keys; c++) {
		if (t->columns[c].role != COL_KEY)
			continue;
		to[k] = row[c];
		key_copy(&j->result->columns[k].type, &t->columns[c].type, &to[k]);
		k++;
	}
	return to;
}

static void rows_join(struct join *j, const struct table *t, int first)
{
	for (int i = 0; i < t->rows.n; i++) {
		const struct cell *row = t->rows.v[i];
		struct cell *to = row_of(j, t, row, t->other && i == t->rows.n - 1);
		int at = first;

		for (int c = 0; c < t->n_columns; c++)
			if (t->columns[c].role != COL_KEY)
				to[at++] = row[c];
	}
}

struct table *table_join(struct arena *a, struct table *const *tables, int n,
			 const bool *const *zero_if_missing)
{
	struct table *r = arena_new(a, struct table);
	struct join j = { .arena = a, .result = r };
	int first;

	if (!n)
		return r;
	first = j.n_keys = r->n_columns = tables[0]->n_columns - values_of(tables[0]);
	for (int i = 0; i < n; i++)
		r->n_columns += values_of(tables[i]);
	r->columns = arena_array(a, struct column, r->n_columns);
	r->interval = tables[0]->interval;
	r->snapshot = tables[0]->snapshot;
	r->begin_ns = tables[0]->begin_ns;
	r->end_ns = tables[0]->end_ns;
	columns_join(a, r, tables, n);
	j.missing = arena_array(a, struct cell, r->n_columns);
	missing_fill(&j, tables, n, zero_if_missing);
	for (int i = 0; i < n; i++) {
		rows_join(&j, tables[i], first);
		first += values_of(tables[i]);
	}
	if (j.other) {
		vec_push(a, &r->rows, j.other);
		r->other = true;
	}
	buf_fini(&j.key);
	return r;
}
