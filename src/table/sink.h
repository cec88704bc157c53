/*
 * sink: who takes what queries find: a view that writes it, a recorder, an analysis. Sees columns with
 * types and units, rows and tables; knows nothing of events, kernels or traces.
 */
#ifndef TABLE_SINK_H
#define TABLE_SINK_H

#include "table/table.h"

/* What the columns of one query are, before its first row or table. */
struct sink_query {
	int index;			/* of the program's queries, from 0 */
	int n_columns;
	const struct column *columns;
	bool is_table;			/* tables follow; else rows */
	bool is_tree;			/* rows that are calls inside each other */
	bool has_interval;		/* several tables follow, one an interval */
	const char *format;		/* print "FORMAT", ...: C-like, or NULL; checked */
};

/* Each kind of sink has a struct of its own behind this. */
struct sink;

/* What is handed over is valid during the call. */
struct sink_ops {
	void (*query)(struct sink *s, const struct sink_query *q);
	void (*row)(struct sink *s, const struct sink_query *q, uint64_t time_ns, const struct cell *cells);
	/* An interval's, or what there is now (t->snapshot). */
	void (*table)(struct sink *s, const struct sink_query *q, const struct table *t);
	/* Calls inside each other: the columns and the order are table/tree.h's. NULL: each is a row. */
	void (*tree)(struct sink *s, const struct sink_query *q, const struct table *t);
	/* A batch of rows or a table is whole. 0, or -errno: nothing more is taken, and the run ends. NULL:
	 * it is nothing to it. */
	int (*flush)(struct sink *s);
	/* All that can be lost, also with counts of 0, at the end. NULL: it does not ask. */
	void (*losses)(struct sink *s, const struct loss *l, int n);
};

#endif
