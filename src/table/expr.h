/*
 * expr: the value of an expression over the columns of one row. For stage.c and func/.
 */
#ifndef TABLE_EXPR_H
#define TABLE_EXPR_H

#include "base/str.h"
#include "table/stage.h"

/* A long double holds every 64-bit integer exactly, so 2^53 is no border. */
struct tx_value {
	/* AT_LEAST: the number or more, nobody knows; it is compared with less, and nothing
	 * is computed from it */
	enum { V_NONE, V_NUMBER, V_TEXT, V_AT_LEAST } kind;
	long double number;
	struct str text;
	const struct enum_desc *en;	/* of a NUMBER that has names */
};

/* What stage.c knows for one run of one expression. */
struct tx_run {
	struct arena *arena;
	const struct table *table;
	const struct stage_env *env;
	/* share()'s sums, one a node; set before the first row */
	VEC(struct tx_sum { const struct tx *at; long double sum; }) sums;
	/* the last interval's value of this row's key */
	struct tx_value (*last)(void *self, const struct tx *at, const struct cell *row);
	void *self;
};

static const struct tx_value tx_none = { .kind = V_NONE };
struct tx_value tx_number(long double x);	/* none when it is not finite */
struct tx_value tx_text(struct str s);
/* The sign of a - b, or 2 where they can't be compared or nobody knows. */
int tx_order(struct tx_value a, struct tx_value b);
struct tx_value tx_eval(const struct tx_run *run, const struct tx *x, const struct cell *row);
struct tx_value tx_column(const struct tx_run *run, int column, const struct cell *row);
bool tx_true(struct tx_value v);	/* none is not true */
/* As a cell of type t: an integer where t is one and the value is whole. */
struct cell tx_cell(struct arena *a, const struct type *t, struct tx_value v);

#endif
