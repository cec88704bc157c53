/*
 * result: what an executor found, on its way to a view: rows as they come; tables
 * through their joins and table stages. The same for kern/ and replay/.
 */
#ifndef SESSION_RESULT_H
#define SESSION_RESULT_H

#include "plan/plan.h"
#include "table/tree.h"
#include "view/view.h"

struct result {
	struct arena arena;
	const struct plan *plan;
	const struct view_ops *ops;
	struct view *view;
	const struct names *names;		/* NULL: stacks stay ids */
	struct view_query *queries;		/* by number */
	struct stage_memory **memory;		/* by number; NULL: no delta() */
	struct trees **trees;			/* by number; NULL: its rows are no tree's */
	double (*meminfo)(void *self, const char *name);
	uint64_t rows;				/* of events, in what was shown so far */
};

/* NULL, or why the view can't show what the plan's queries give. */
const char *result_misfit(const struct plan *plan, const struct view_ops *ops);
void result_open(struct result *r, const struct plan *plan, const struct view_ops *ops,
		 const struct view_options *o);
void result_row(struct result *r, const struct p_query *q, uint64_t time_ns,
		const struct cell *cells);
/* An aggregating query's table, or its join's parts; cells made here are in a. */
void result_tables(struct result *r, struct arena *a, const struct p_query *q,
		   struct table *const *parts, int n);
/* No more rows come: what waits for its tree. */
void result_rest(struct result *r);
int result_flush(struct result *r);
int result_close(struct result *r);		/* 0, or -errno of a write that failed */

#endif
