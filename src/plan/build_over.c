/*
 * in SOURCE over TIME: rows inside of periods that take TIME or longer. How long one takes is known
 * only when it ends. So a table's rows have two more keys, the period's begin and thread, and a query
 * of its own counts the periods that took so long, by the same two. Who reads the tables keeps the
 * rows of those, and merges what differs only in these keys (agg/gather.c).
 */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"

int64_t build_over_ns(struct build *b, const struct ast_stage *st)
{
	if (st->number_expr && !where_prune(b->env, st->number_expr))
		return 0;
	if (!st->number_expr && !st->number)
		return 0;
	return build_stage_number(b, st);
}

static struct ax *expr(struct build *b, const char *text)
{
	struct source_text *t = arena_new(b->arena, struct source_text);

	*t = (struct source_text){ "over", str_of(text) };
	return parse_expr(b->arena, b->diag, t);
}

struct ax *build_over_thread(struct build *b)
{
	return expr(b, "current.tid");
}

static struct ast_stage *stage(struct build *b, struct ast_query *of, int id, struct loc loc)
{
	struct ast_stage *st = arena_new(b->arena, struct ast_stage);

	st->id = (uint8_t)id;
	st->loc = loc;
	vec_push(b->arena, &of->stages, st);
	return st;
}

/* SOURCE | where duration >= TIME | count by begin.time, begin.current.tid */
void build_over(struct build *b, struct p_query *q, const struct ast_stage *st, int64_t ns)
{
	static const char *const keys[HIDDEN_KEYS] = { "begin.time", "begin.current.tid" };
	struct ast_query *of = arena_new(b->arena, struct ast_query);
	struct ast_stage *count;

	if (q->over)
		return;
	of->loc = st->loc;
	of->sources = arena_new(b->arena, struct ast_sources);
	vec_push(b->arena, &of->sources->v, st->source);
	stage(b, of, STAGE_WHERE, st->loc)->expr =
		expr(b, arena_printf(b->arena, "duration >= %lldns", (long long)ns));
	count = stage(b, of, STAGE_AGGS, st->loc);
	*vec_add(b->arena, &count->aggs) = (struct ast_agg){ .func = str_of("count"), .loc = st->loc };
	for (int i = 0; i < HIDDEN_KEYS; i++)
		vec_push(b->arena, &count->list, ((struct named_expr){ .expr = expr(b, keys[i]), .loc = st->loc }));
	q->over = build_query(b, of, true);
	q->over->part_name = "over";
}

void build_over_sink(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *sink)
{
	if (!q->over || b->diag->errors)
		return;
	if (q->sink != SINK_AGGS || q->open) {
		diag_error(b->diag, DIAG_STAGE_ORDER, sink ? sink->loc : q->loc, "'in .. over' needs a table: "
			   "whether a row counts is known only when its period ends");
		diag_help(b->diag, "put an aggregation behind it: | count, sum(duration) by comm");
		return;
	}
	for (int k = 0; k < all->n; k++)
		if (!all->v[k]->hidden[0]) {
			diag_error(b->diag, DIAG_STAGE_ORDER, q->loc, "only some of the sources have 'in .. over': all or none can");
			return;
		}
}
