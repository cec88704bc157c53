/*
 * table: the result of a query, all that a view ever sees.
 *
 * A table is typed columns and rows of cells. A query that prints makes a
 * stream of rows with the same columns; one that aggregates makes one table an
 * interval. Everything is in the window's arena.
 */
#ifndef TABLE_TABLE_H
#define TABLE_TABLE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "table/type.h"

enum cell_kind { CELL_NONE, CELL_INT, CELL_REAL, CELL_BYTES, CELL_HIST, CELL_STACK };

/* A histogram: rows (lo, hi, count), lo <= value <= hi, in rising order, empty
 * buckets between the first and the last that is not empty included. lo is
 * HIST_BELOW in a row of all that is less, hi HIST_ABOVE in one of all that is more.
 * Powers of two are 0..1, 2..3, 4..7, ...; other rows are linear. */
struct hist {
	int n;
	struct hist_row {
		__int128 lo, hi;	/* of values from INT64_MIN to UINT64_MAX */
		uint64_t count;
	} *rows;
};
#define HIST_BELOW ((__int128)INT64_MIN)
#define HIST_ABOVE ((__int128)UINT64_MAX + 1)

/* A bound's digits; of HIST_ABOVE those of the largest value. */
void hist_bound(struct buf *b, __int128 bound);

struct cell {
	uint8_t kind;			/* enum cell_kind */
	bool at_least;			/* INT: there was no room to count further */
	union {
		int64_t i;		/* every word type; unsigned ones as bits */
		double r;
		struct {
			const char *p;
			int n;
		} bytes;		/* STRING ARGS PATH IP, as the type says; n
					 * is the length used, without padding */
		const struct hist *hist;
		const struct stack *stack;	/* table/stack.h */
	};
};

enum column_role { COL_KEY, COL_VALUE };

/* What a column says of the parts of a duration, times - overlap + other, where they are
 * to be drawn together; the times of a thread's states add up to it by themselves. */
enum column_part { PART_NONE, PART_TIME, PART_COUNT, PART_OTHER, PART_OVERLAP, PART_STATE };

struct column {
	const char *name;
	struct type type;
	uint8_t role;			/* enum column_role */
	uint8_t part;			/* enum column_part; a count is behind its time */
	uint8_t brief;			/* the same, where people read them in one cell */
	const char *part_name;		/* "disk" of disk.time */
	bool of_parts;			/* how many durations the sums of the parts are of */
	bool is_counter;		/* never less as the run goes on: a count, a sum of what is not negative */
	double error;			/* relative error of a percentile: 0.0625; 0: exact */
};

struct table {
	const char *name;		/* of a join's part, or NULL */
	int n_columns;
	struct column *columns;
	VEC(struct cell *) rows;	/* each n_columns cells */
	int interval;			/* 0, 1, ... ; the only one is 0 */
	uint64_t begin_ns, end_ns;	/* of the interval, CLOCK_REALTIME */
	bool snapshot;			/* the interval goes on */
	bool other;			/* the last row is "(other)": its keys are none */
};

/* What was lost, counted where it happened. `always`: shown when not zero;
 * else only with -v or above 0.1% of the rows. */
enum loss_id {
#define LOSS(id, name, quiet, means) LOSS_##id,
#include "table/loss.def"
#undef LOSS
	LOSSES
};

struct loss {
	enum loss_id id;
	const char *what;		/* "rows that found the table full: see --table-size" */
	uint64_t count;
	bool always;
	uint64_t usual;			/* of these, because the run began in the middle: shown with -v */
};

const char *loss_name(enum loss_id id);		/* "dropped" */
bool loss_is_quiet(enum loss_id id);		/* is no number wrong for it? */

struct cell *table_add_row(struct arena *a, struct table *t);

/* Orders by type: integers by sign, reals, strings by bytes, histograms by
 * their totals; none first. Exact for every 64-bit integer. */
int cell_compare(const struct type *t, const struct cell *a, const struct cell *b);

/* What a CELL_BYTES says, not escaped: words of ARGS with blanks between them
 * and "..." behind a cut list, a PATH from the root, an IP's text. */
void cell_text(struct buf *b, const struct type *t, const struct cell *c);

/* The name of an enum's value, or NULL. */
const char *enum_name(const struct enum_desc *en, int64_t value);

#endif
