/* Tables made by hand, for the tests of table/ and view/. */
#ifndef MADE_H
#define MADE_H

#include "table/stage.h"

#define INT_CELL(x) ((struct cell){ .kind = CELL_INT, .i = (int64_t)(x) })
#define REAL_CELL(x) ((struct cell){ .kind = CELL_REAL, .r = (x) })
#define TEXT_CELL(s) ((struct cell){ .kind = CELL_BYTES, .bytes = { s, (int)sizeof(s) - 1 } })
#define HIST_CELL(h) ((struct cell){ .kind = CELL_HIST, .hist = (h) })
#define NONE_CELL ((struct cell){ .kind = CELL_NONE })

#define COLUMNS(...) (struct column[]){ __VA_ARGS__ }
#define KEY(text, ...) { .name = text, .role = COL_KEY, .type = { __VA_ARGS__ } }
#define VALUE(text, ...) { .name = text, .role = COL_VALUE, .type = { __VA_ARGS__ } }
#define A_COMM .kind = TY_STRING, .bytes = 16
#define AN_INT .kind = TY_INT, .is_signed = true, .size = 8
#define A_DURATION .kind = TY_DURATION, .is_signed = true, .size = 8
#define A_REAL .kind = TY_REAL, .is_signed = true, .size = 8

__attribute__((unused))
static struct table *made(struct arena *a, const struct column *columns, int n)
{
	struct table *t = arena_new(a, struct table);

	t->n_columns = n;
	t->columns = arena_array(a, struct column, n);
	for (int i = 0; i < n; i++)
		t->columns[i] = columns[i];
	return t;
}

/* made_row(a, t, cell, cell, ...): as many as t has columns. */
#define made_row(a, t, ...) \
	made_row_(a, t, (struct cell[]){ __VA_ARGS__ })

__attribute__((unused))
static void made_row_(struct arena *a, struct table *t, const struct cell *cells)
{
	struct cell *row = table_add_row(a, t);

	for (int i = 0; i < t->n_columns; i++)
		row[i] = cells[i];
}

#endif
