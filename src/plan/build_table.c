/* What follows the sink: table stages. */
#include "plan/build_sink.h"

#include <string.h>

#include "base/near.h"
#include "lang/diag_tags.h"
#include "plan/build_stage.h"

/* `p99` for the column p99(duration), when it is the only one of p99. */
static int find_unnamed(const struct p_query *q, const char *name)
{
	size_t n = strlen(name);
	int found = -1;

	for (int i = 0; i < q->n_out; i++) {
		if (q->out[i].role != COL_VALUE || strncmp(q->out[i].name, name, n)
		    || q->out[i].name[n] != '(')
			continue;
		if (found >= 0)
			return -1;
		found = i;
	}
	return found;
}

static void help_columns(struct build *b, const struct p_query *q, const char *head)
{
	struct buf all = { 0 };

	for (int i = 0; i < q->n_out; i++)
		buf_printf(&all, " %s", q->out[i].name);
	diag_help(b->diag, "%s%s", head, all.n ? all.p : " none");
	buf_fini(&all);
}

static int find_column(struct build *b, const struct p_query *q, const struct ax *e)
{
	const char *name = build_column_name(b, (struct str){ 0 }, e);
	const char **names;
	const char *near;
	int at;

	for (int i = 0; i < q->n_out; i++)
		if (!strcmp(q->out[i].name, name))
			return i;
	at = find_unnamed(q, name);
	if (at >= 0)
		return at;
	names = arena_array(b->arena, const char *, q->n_out);
	for (int i = 0; i < q->n_out; i++)
		names[i] = q->out[i].name;
	near = str_nearest(str_of(name), names, q->n_out);
	diag_error(b->diag, DIAG_UNKNOWN_NAME, e->loc, "no column '%s'", name);
	if (e->kind == AX_BINARY)
		diag_help(b->diag, "make it one: | let r = %s | top 5 by r", name);
	else if (near)
		diag_help(b->diag, "did you mean '%s'?", near);
	else
		help_columns(b, q, "columns:");
	return -1;
}

static struct tstage *add_stage(struct build *b, struct p_query *q, enum tstage_kind kind)
{
	struct tstage *s = vec_add(b->arena, &q->stages);

	s->kind = (uint8_t)kind;
	return s;
}

static struct table_scope scope_of(struct p_query *q)
{
	return (struct table_scope){ .columns = q->out, .n = q->n_out, .n_delta_slots = &q->n_delta_slots };
}

/* An expression as a column: one that is there, or a new one behind them. -1: a mistake. */
static int table_column_of(struct build *b, struct p_query *q, const struct named_expr *l, bool new)
{
	struct tx *e = check_table_expr(b->env, scope_of(q), l->expr);
	struct column *out;
	struct tstage *s;

	if (!e || (!new && e->op == TX_COLUMN && !l->name.n))
		return e ? e->column : -1;
	s = add_stage(b, q, TS_LET);
	s->expr = e;
	s->column.name = build_column_name(b, l->name, l->expr);
	s->column.type = e->type;
	s->column.role = COL_VALUE;
	for (int k = 0; k < q->n_out; k++)
		if (!strcmp(q->out[k].name, s->column.name))
			diag_error(b->diag, DIAG_DUPLICATE_COLUMN, l->loc,
				   "there is already a column '%s'", s->column.name);
	out = arena_array(b->arena, struct column, q->n_out + 1);
	memcpy(out, q->out, sizeof(*out) * (size_t)q->n_out);
	out[q->n_out] = s->column;
	q->out = out;
	return q->n_out++;
}

static void table_let(struct build *b, struct p_query *q, const struct ast_stage *st)
{
	for (int i = 0; i < st->list.n; i++)
		if (cond_holds(b->env, &st->list.v[i].cond))
			table_column_of(b, q, &st->list.v[i], true);
}

/* Which columns are shown, in this order, or in the words of a format. */
static void table_print(struct build *b, struct p_query *q, const struct ast_stage *st)
{
	int *columns = arena_array(b->arena, int, st->list.n), n = 0;
	struct column *out;
	struct tstage *s;

	for (int i = 0; i < st->list.n; i++) {
		if (!cond_holds(b->env, &st->list.v[i].cond))
			continue;
		columns[n] = table_column_of(b, q, &st->list.v[i], false);
		if (columns[n++] < 0)
			return;
	}
	out = arena_array(b->arena, struct column, n);
	for (int i = 0; i < n; i++)
		out[i] = q->out[columns[i]];
	s = add_stage(b, q, TS_PRINT);
	s->columns = columns;
	s->n = n;
	q->out = out;
	q->n_out = n;
	if (st->format.p)
		build_check_format(b, st, q);
}

static bool is_printed(const struct p_query *q)
{
	return q->stages.n && vec_last(&q->stages).kind == TS_PRINT;
}

static void table_where(struct build *b, struct p_query *q, const struct ast_stage *st)
{
	struct ax *e = where_prune(b->env, st->expr);
	struct tx *t = e ? check_table_expr(b->env, scope_of(q), e) : NULL;

	if (t)
		add_stage(b, q, TS_WHERE)->expr = t;
}

static int first_value(const struct p_query *q)
{
	for (int i = 0; i < q->n_out; i++)
		if (q->out[i].role == COL_VALUE && q->out[i].type.kind != TY_HIST)
			return i;
	return -1;
}

static void table_order(struct build *b, struct p_query *q, const struct ast_stage *st)
{
	int64_t n = st->id == STAGE_TOP ? build_stage_number(b, st) : 0;
	int by = st->expr ? find_column(b, q, st->expr) : first_value(q);
	struct tstage *s;

	if (by < 0) {
		if (!st->expr) {
			diag_error(b->diag, DIAG_UNKNOWN_NAME, st->loc, "this table has no column to sort by");
			diag_help(b->diag, "add one before it: | count, hist(duration) by comm | top 3 by count");
		}
		return;
	}
	s = add_stage(b, q, st->id == STAGE_TOP ? TS_TOP : TS_SORT);
	s->by = by;
	s->n = n;
	s->descending = st->minus == (st->id == STAGE_SORT);
}

static void table_every(struct build *b, struct p_query *q, const struct ast_stage *st)
{
	int64_t ns = st->number;
	struct loc loc = st->loc;

	if (st->number_expr) {
		struct px *e = check_const(b->env, st->number_expr);

		if (!px_is_number(e, &ns))
			return;
		loc = e->loc;
	}
	if (ns < INTERVAL_LEAST_NS) {
		diag_error(b->diag, DIAG_OUT_OF_RANGE, loc, "an interval must be at least 1ms");
		return;
	}
	q->every_ns = (uint64_t)ns;
	q->every_keep = st->keep;
}

/* A word that is no stage's is read as an aggregation's. */
static bool is_misspelled(const struct build *b, const struct ast_stage *st)
{
	return st->id == STAGE_AGGS && st->aggs.n == 1 &&
	       !agg_find(b->env->registry, st->aggs.v[0].func, NULL);
}

void build_table_stages(struct build *b, struct p_query *q, const ast_stages *stages, int from)
{
	for (int i = from; i < stages->n; i++) {
		const struct ast_stage *st = stages->v[i];

		if (!cond_holds(b->env, &st->cond))
			continue;
		if (is_misspelled(b, st)) {
			build_unknown_aggregation(b, &st->aggs.v[0]);
			return;
		}
		if (st->id == STAGE_AGGS || st->id == STAGE_WORST || st->id == STAGE_TREE) {
			diag_error(b->diag, DIAG_SINK_TWICE, st->loc,
				   "a query has only one of print, worst, tree or an aggregation: write a second query");
			return;
		}
		if ((!p_query_is_table(q) && !q->parts.n)
		    || (is_printed(q) && st->id != STAGE_EVERY)) {
			diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
				   "no stage can follow 'print'");
			diag_help(b->diag, !p_query_is_table(q) && (st->id == STAGE_TOP || st->id == STAGE_SORT) ?
				  "rows are printed as they happen: | worst 3 by duration print ... prints the largest" :
				  "put it before the print; a column that it needs is made by let: | let r = A / B | sort r | print r");
			return;
		}
		switch (st->id) {
		case STAGE_WHERE: table_where(b, q, st); break;
		case STAGE_LET: table_let(b, q, st); break;
		case STAGE_PRINT: table_print(b, q, st); break;
		case STAGE_SORT:
		case STAGE_TOP: table_order(b, q, st); break;
		case STAGE_EVERY: table_every(b, q, st); break;
		default:
			diag_error(b->diag, DIAG_ROW_STAGE_ONLY, st->loc,
				   "this stage works on rows: put it before the aggregation");
		}
	}
}
