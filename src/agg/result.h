/*
 * result: from the gathered tables of one interval to what the view gets: the join
 * of a query's parts and the table stages. The same for both executors.
 */
#ifndef AGG_RESULT_H
#define AGG_RESULT_H

#include "plan/plan.h"

/* What a query remembers over its intervals, for delta(). */
struct result;

struct result *result_open(const struct p_query *q);
/*
 * t: the table of the query, or one for each of q->parts, as gathered; they are
 * changed. env->memory is not used: the result has its own; env may be NULL.
 */
struct table *result_table(struct result *r, struct arena *a, struct table *const *t,
			   const struct stage_env *env);
void result_close(struct result *r);

#endif
