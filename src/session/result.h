/*
 * result: what an executor found, on its way to a sink: rows as they come; tables
 * through their joins and table stages. The same for kern/ and replay/.
 */
#ifndef SESSION_RESULT_H
#define SESSION_RESULT_H

#include "plan/plan.h"
#include "table/names.h"
#include "table/sink.h"
#include "table/tree.h"

struct result {
	struct arena arena;
	const struct plan *plan;
	const struct sink_ops *ops;
	struct sink *sink;
	const struct names *names;		/* NULL: stacks stay ids */
	struct sink_query *queries;		/* by number */
	struct stage_memory **memory;		/* by number; NULL: no delta() */
	struct trees **trees;			/* by number; NULL: its rows are no tree's */
	double (*meminfo)(void *self, const char *name);
	uint64_t rows;				/* of events, in what was shown so far */
};

/* What a sink is told of a query. */
struct sink_query sink_query_of(const struct p_query *q);
void result_open(struct result *r, const struct plan *plan, const struct sink_ops *ops, struct sink *sink,
		 const struct names *names);
void result_row(struct result *r, const struct p_query *q, uint64_t time_ns,
		const struct cell *cells);
/* An aggregating query's table, or its join's parts; cells made here are in a. */
void result_tables(struct result *r, struct arena *a, const struct p_query *q,
		   struct table *const *parts, int n);
/* No more rows come: what waits for its tree. */
void result_rest(struct result *r);
int result_flush(struct result *r);		/* 0, or -errno: the sink takes nothing more */
void result_losses(struct result *r, const struct loss *losses, int n);
void result_close(struct result *r);

#endif
