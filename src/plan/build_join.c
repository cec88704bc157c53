/* Joins of several tables: queries of their own whose results are not shown. */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"
#include "plan/build_sink.h"

static void join_names(struct build *b, const struct p_query *q, const struct ast_query *ast)
{
	for (int i = 0; i < q->n_out; i++)
		for (int k = 0; k < i; k++)
			if (!strcmp(q->out[i].name, q->out[k].name)) {
				diag_error(b->diag, DIAG_DUPLICATE_COLUMN, ast->loc,
					   "two columns have the name '%s'", q->out[i].name);
				diag_help(b->diag, "give the table another name");
				return;
			}
}

static void join_columns(struct build *b, struct p_query *q)
{
	struct p_query *first = q->parts.v[0];
	int n = first->n_keys, at;

	for (int i = 0; i < q->parts.n; i++)
		n += q->parts.v[i]->n_out;
	q->out = arena_array(b->arena, struct column, n);
	q->keys = first->keys;
	q->n_keys = first->n_keys;
	for (at = 0; at < first->n_keys; at++)
		q->out[at] = first->out[at];
	for (int i = 0; i < q->parts.n; i++) {
		struct p_query *part = q->parts.v[i];
		int values = part->n_out - part->n_keys;

		for (int k = part->n_keys; k < part->n_out; k++) {
			q->out[at] = part->out[k];
			q->out[at++].name = values == 1 ? part->part_name
				: arena_printf(b->arena, "%s.%s", part->part_name, part->out[k].name);
		}
	}
	q->n_out = at;
}

void build_join(struct build *b, struct p_query *q, const struct ast_query *ast)
{
	int errors = b->diag->errors;

	q->sink = SINK_AGGS;
	for (int i = 0; i < ast->tables.n; i++) {
		const struct ast_table *t = &ast->tables.v[i];
		struct p_query *part = build_query(b, t->query, true);

		part->part_name = arena_strndup(b->arena, t->name.p, (size_t)t->name.n);
		vec_push(b->arena, &q->parts, part);
		if (b->diag->errors > errors)
			continue;
		if (part->sink != SINK_AGGS || part->every_ns || part->parts.n)
			diag_error(b->diag, DIAG_STAGE_ORDER, t->loc,
				   "a table of a join must end with an aggregation, without 'every'");
		else if (part->n_keys != q->parts.v[0]->n_keys)
			diag_error(b->diag, DIAG_KEY_COUNT, t->loc,
				   "the tables of a join need the same number of keys, not %d and %d",
				   q->parts.v[0]->n_keys, part->n_keys);
		else
			for (int k = 0; k < part->n_keys; k++)
				if (!type_comparable(&part->keys[k].type, &q->parts.v[0]->keys[k].type))
					diag_error(b->diag, DIAG_KEY_TYPE, t->loc,
						   "key %d has type %s in one table and type %s in another", k + 1,
						   type_name(&q->parts.v[0]->keys[k].type),
						   type_name(&part->keys[k].type));
	}
	if (b->diag->errors > errors)
		return;
	join_columns(b, q);
	join_names(b, q, ast);
	build_table_stages(b, q, &ast->stages, 0);
	for (int i = 0; i < q->parts.n; i++) {
		q->parts.v[i]->every_ns = q->every_ns;
		q->parts.v[i]->every_keep = q->every_keep;
	}
}
