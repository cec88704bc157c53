/*
 * stage: what happens to a table between the executor and the view:
 * where, let, sort, top, print. Expressions here are over columns, in real numbers.
 *
 * Built by lang/ from the text, run by table/stage.c. The same for both
 * executors, so it is in table/.
 */
#ifndef TABLE_STAGE_H
#define TABLE_STAGE_H

#include "base/vec.h"
#include "table/table.h"

/* An expression over columns. */
enum tx_op {
	TX_NUMBER, TX_TEXT, TX_COLUMN,		/* real; text; column index */
	TX_UNARY, TX_BINARY, TX_COND,		/* c_op */
	TX_MATCH,				/* a ~ glob in text */
	TX_IN,					/* kids[0] in the rest */
	TX_CALL					/* a function: value, of kids, column or text */
};

/* What a function of a column asks for beyond its row. */
enum tx_needs { TX_NEEDS_NOTHING, TX_NEEDS_SUM, TX_NEEDS_LAST };

struct tx_run;

struct tx {
	uint8_t op;			/* enum tx_op */
	uint8_t c_op;			/* UNARY BINARY: enum op_id */
	struct type type;		/* of the result */
	long double number;
	const char *text;
	uint8_t needs;			/* CALL: enum tx_needs */
	int column;			/* COLUMN CALL: index into the columns as they
					 * are at this stage */
	int slot;			/* NEEDS_LAST: which memory of the last interval */
	int n_kids;
	struct tx **kids;
	struct tx_value (*value)(const struct tx_run *run, const struct tx *x,
				 const struct cell *row);	/* CALL */
};

enum tstage_kind { TS_WHERE, TS_LET, TS_SORT, TS_TOP, TS_PRINT };

/* A LET appends a column; PRINT, the last, has those that are left. */
struct tstage {
	uint8_t kind;
	struct tx *expr;		/* WHERE, LET */
	struct column column;		/* LET: what is appended */
	int by;				/* SORT, TOP: column */
	bool descending;		/* SORT, TOP */
	int64_t n;			/* TOP; PRINT: of columns */
	const int *columns;		/* PRINT */
};

/* What delta() remembers: the last interval's value of each key and slot. Kept
 * by the caller over the intervals of one query. */
struct stage_memory;
struct stage_memory *stage_memory_open(void);
void stage_memory_close(struct stage_memory *m);

/* Runs the stages over t in place, once an interval; new rows and cells come
 * from a. meminfo (may be NULL) reads a row of /proc/meminfo in bytes or
 * returns -1. The row "(other)" stays last and is not one of top's. */
struct stage_env {
	struct stage_memory *memory;
	bool peeks;			/* of an interval that goes on: nothing is remembered of it */
	double (*meminfo)(void *self, const char *name);
	void *self;
};
void stages_run(struct arena *a, const struct tstage *stages, int n, struct table *t,
		const struct stage_env *env);

/*
 * Full outer join of n tables on equal keys (as many key columns each, of
 * compatible types). The result has the keys of the first, then each table's
 * value columns: named "table.column", or just the table's name when it has
 * one value column. A missing count or sum is 0 (zero_if_missing[i][c] of
 * column c of table i, keys counted too; a NULL says none is), anything else
 * none. Events are equal by name, each table numbers its own.
 */
struct table *table_join(struct arena *a, struct table *const *tables, int n,
			 const bool *const *zero_if_missing);

#endif
