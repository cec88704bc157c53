/*
 * From gathered tables to the result: the stages of each part, their join, the stages
 * of the query. See result.h; the stages themselves are in table/.
 */
#include "agg/result.h"

#include <stdlib.h>

struct result {
	const struct p_query *query;
	struct stage_memory **memories;		/* of the parts, then of the query */
};

struct result *result_open(const struct p_query *q)
{
	struct result *r = xcalloc(1, sizeof(*r));

	r->query = q;
	r->memories = xcalloc((size_t)q->parts.n + 1, sizeof(*r->memories));
	for (int i = 0; i < q->parts.n; i++)
		r->memories[i] = stage_memory_open(q->parts.v[i]->n_delta_slots);
	r->memories[q->parts.n] = stage_memory_open(q->n_delta_slots);
	return r;
}

void result_close(struct result *r)
{
	if (!r)
		return;
	for (int i = 0; i <= r->query->parts.n; i++)
		stage_memory_close(r->memories[i]);
	free(r->memories);
	free(r);
}

static void run_stages(struct arena *a, const struct p_query *q, struct table *t,
		       struct stage_memory *memory, const struct stage_env *env)
{
	struct stage_env own = env ? *env : (struct stage_env){ 0 };

	own.memory = memory;
	stages_run(a, q->stages.v, q->stages.n, t, &own);
}

/* Which columns of a part are 0, not none, where a key is missing: counts and sums. */
static const bool *zeros_of(struct arena *a, const struct p_query *q, const struct table *t)
{
	bool *zeros = arena_array(a, bool, t->n_columns + 1);

	for (int i = 0; i < q->n_aggs && q->n_keys + i < t->n_columns; i++)
		zeros[q->n_keys + i] = q->aggs[i].ops->zero_if_missing;
	return zeros;
}

struct table *result_table(struct result *r, struct arena *a, struct table *const *t,
			   const struct stage_env *env)
{
	const struct p_query *q = r->query;
	struct table *out = t[0];
	const bool **zeros;

	if (q->parts.n) {
		zeros = arena_array(a, const bool *, q->parts.n);
		for (int i = 0; i < q->parts.n; i++) {
			run_stages(a, q->parts.v[i], t[i], r->memories[i], env);
			zeros[i] = zeros_of(a, q->parts.v[i], t[i]);
		}
		out = table_join(a, t, q->parts.n, zeros);
		out->interval = t[0]->interval;
		out->begin_ns = t[0]->begin_ns;
		out->end_ns = t[0]->end_ns;
	}
	run_stages(a, q, out, r->memories[q->parts.n], env);
	return out;
}
