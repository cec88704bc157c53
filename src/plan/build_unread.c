/* A `let` that nothing reads is not computed: a definition has more of them than each query needs. */
#include "plan/build.h"

#include <string.h>

static bool any(const struct px *e, build_test *test, void *arg)
{
	return e && px_any(e, test, arg);
}

bool build_branch_any(const struct p_branch *br, build_test *test, void *arg)
{
	const struct p_query *q = br->query;
	bool found = any(br->rank, test, arg);

	for (int i = 0; i < br->steps.n; i++)
		found |= any(br->steps.v[i].expr, test, arg);
	for (int i = 0; br->columns && i < q->n_columns; i++)
		found |= any(br->columns[i], test, arg);
	for (int i = 0; br->keys && i < q->n_keys; i++)
		found |= any(br->keys[i], test, arg);
	for (int i = 0; br->agg_args && i < q->n_aggs; i++) {
		found |= any(br->agg_where[i], test, arg);
		for (int k = 0; k < q->aggs[i].n_args; k++)
			found |= any(br->agg_args[i][k], test, arg);
	}
	return found;
}

static bool is_let(const struct px *e, void *let)
{
	return e->op == PX_LET && e->index == *(int *)let;
}

/* Steps go from the last to the first, so that what only an unread one reads is unread, too. */
static void drop_unread(struct p_branch *br)
{
	for (int i = br->steps.n - 1; i >= 0; i--) {
		struct p_step *s = &br->steps.v[i];

		if (s->kind != STEP_LET || build_branch_any(br, is_let, &s->let))
			continue;
		memmove(s, s + 1, sizeof(*s) * (size_t)(br->steps.n - 1 - i));
		br->steps.n--;
	}
}

void build_unread(struct build *b)
{
	for (int i = 0; i < b->plan->queries.n; i++)
		for (int k = 0; k < b->plan->queries.v[i]->branches.n; k++)
			drop_unread(b->plan->queries.v[i]->branches.v[k]);
}
