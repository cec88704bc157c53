/*
 * lines: what the views share that write a line for each row (text, csv, json, markdown): when a
 * query's header is due, what a line has besides its cells, and where it is written.
 */
#ifndef VIEW_LINES_H
#define VIEW_LINES_H

#include "view/format.h"
#include "view/out.h"
#include "view/view.h"

/* A printed row, or a row of a table. */
struct line {
	const struct sink_query *q;
	const struct table *t;		/* NULL: a printed row */
	int n_columns;
	const struct column *columns;
	const struct cell *cells;
	bool timed;			/* -T, unless the query shows a column `time` */
	uint64_t wall_ns;		/* of the row, or the end of its table's interval */
	int interval;
	bool other;			/* what found no room in the table */
};

/* What the struct sink of such a view begins with. */
struct lines {
	struct view_options o;
	struct out out;
	enum form form;			/* of values that people read: adapted on a terminal */
	struct buf cell;		/* scratch */
	int query;			/* whose header stands above; -1: nobody's */
	/* Adds the header of q, whose lines follow; false: they have none. Or NULL. */
	bool (*header)(struct sink *v, const struct sink_query *q);
	/* Adds the line and writes it. */
	void (*line)(struct sink *v, const struct line *line);
};

/* A zeroed struct sink of so many bytes. */
struct sink *lines_open(size_t bytes, const struct view_options *o,
			bool (*header)(struct sink *v, const struct sink_query *q),
			void (*line)(struct sink *v, const struct line *line));
int lines_close(struct sink *v);	/* frees v; 0 or -errno */

void lines_row(struct sink *v, const struct sink_query *q, uint64_t time_ns, const struct cell *cells);
void lines_table(struct sink *v, const struct sink_query *q, const struct table *t);
int lines_flush(struct sink *v);

/* Of a view whose header waits for the first line; whose losses are on standard error. */
void lines_query(struct sink *v, const struct sink_query *q);
void lines_losses(struct sink *v, const struct loss *l, int n);

/* Row r of t. */
struct line lines_of_table(const struct view_options *o, const struct sink_query *q, const struct table *t, int r);
/* When a table's line was: the end of its interval. */
uint64_t lines_table_ns(const struct table *t);
/* Have the lines of q a time before them? */
bool lines_timed(const struct view_options *o, const struct sink_query *q);
/* Is t a few numbers of an interval: a line below one header, as rows are? */
bool lines_is_line(const struct sink_query *q, const struct table *t);
/* "DURATION(us)", and a percentile's error. */
void lines_column(struct buf *b, enum form form, const struct column *c);
void lines_error(struct buf *b, const struct column *c);
/* Does column i of an `other` line say FORMAT_OTHER? The first key does; its cell is none. */
bool lines_says_other(const struct column *columns, int i);

#endif
