/*
 * The sink `tree`: the calls that are its rows count, on each thread, how many of them
 * are open (bpf/cg_tree.c); the rows say so, and table/tree.c draws them together.
 */
#include "plan/build_sink.h"

#include "lang/diag_tags.h"
#include "plan/build_event.h"
#include "plan/build_period.h"
#include "plan/build_scope.h"
#include "plan/build_stage.h"
#include "plan/build_store.h"
#include "table/tree.h"

/* depth and rows are no field of anything. */
static const struct {
	const char *name, *text;
} columns[TREE_COLUMNS] = {
	[TREE_BEGIN] = { "begin", "begin.current.time" },
	[TREE_DURATION] = { "duration", "duration" },
	[TREE_TID] = { "tid", "current.tid" },
	[TREE_COMM] = { "comm", "current.comm" },
	[TREE_CPU] = { "cpu", "begin.current.cpu" },
	[TREE_END_CPU] = { "end.cpu", "end.current.cpu" },
	[TREE_DEPTH] = { "depth", NULL },
	[TREE_NAME] = { "name", "current.event" },
	[TREE_ROWS] = { "missing", NULL },
};

static bool nests(struct build *b, const struct b_branch *w, const struct ast_stage *st)
{
	if (w->open) {
		diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
			   "'tree' needs finished calls: leave out 'open'");
	} else if (!w->period) {
		diag_error(b->diag, DIAG_NO_PERIOD, w->end->loc, "'tree' needs calls or periods: an event has "
			   "nothing inside of it");
		diag_help(b->diag, "make a period of two events: from X to Y");
	} else if (!build_is_of_thread(b, w->period)) {
		diag_error(b->diag, DIAG_NO_PERIOD, w->period->plan->loc, "'tree' needs periods of one thread: %s has a key "
			   "and may end on another", w->period->plan->name);
		diag_help(b->diag, "'print' shows such periods one by one");
	} else {
		return true;
	}
	return false;
}

/* One tree: a thread counts what is open of it. */
static bool is_only(struct build *b, const struct p_query *q, const struct ast_stage *st)
{
	for (int i = 0; i < b->plan->queries.n; i++)
		if (b->plan->queries.v[i] != q && b->plan->queries.v[i]->tree) {
			diag_error(b->diag, DIAG_SINK_TWICE, st->loc, "there is already a 'tree': only one is possible");
			diag_help(b->diag, "put all sources into one: A, B | tree");
			return false;
		}
	return true;
}

/* The number of its calls that were open at the begin: bpf/cg_tree.c writes it. */
static void count_open(struct build *b, struct b_period *p, const struct p_query *q)
{
	if (p->plan->tree)
		return;
	p->plan->tree = q;
	p->plan->tree_slot = build_row_slot(b, p, type_int);
}

static struct px *value(struct build *b, struct b_branch *w, int i, struct loc loc)
{
	struct source_text *src = arena_new(b->arena, struct source_text);

	if (columns[i].text) {
		bool of_begin = i == TREE_NAME && !w->period->plan->is_call;

		*src = (struct source_text){ "tree", str_of(of_begin ? "begin.current.event"
								      : columns[i].text) };
		return check_expr(&w->scope, parse_expr(b->arena, b->diag, src));
	}
	if (i == TREE_DEPTH)
		return px_slot(b->env, w->period->plan, w->period->plan->tree_slot, loc);
	return px_new(b->env, PX_TREE_ROWS, loc, &type_int);
}

void build_tree(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st)
{
	bool ok = is_only(b, q, st);
	int64_t levels = 0;

	if (st->number || st->number_expr)
		levels = build_stage_number(b, st);
	q->tree_levels = levels < INT32_MAX ? (int)levels : 0;
	q->sink = SINK_PRINT;
	q->tree = true;
	for (int i = 0; i < all->n; i++)
		ok = nests(b, all->v[i], st) && ok;
	if (!ok)
		return;
	q->n_columns = TREE_COLUMNS;
	q->columns = arena_array(b->arena, struct column, TREE_COLUMNS);
	for (int k = 0; k < all->n; k++) {
		struct b_branch *w = all->v[k];

		count_open(b, w->period, q);
		w->plan->columns = arena_array(b->arena, struct px *, TREE_COLUMNS);
		for (int i = 0; i < TREE_COLUMNS; i++) {
			struct px *e = w->plan->columns[i] = value(b, w, i, st->loc);

			q->columns[i].name = columns[i].name;
			build_unify(b, &q->columns[i].type, e, k == 0);
		}
	}
	q->out = q->columns;
	q->n_out = q->n_columns;
}

void build_tree_check(struct build *b, struct b_period *p)
{
	bool able = b->options->has.task_storage;

	if (!p->plan->tree)
		return;
	for (int i = 0; i < p->begins.n + p->ends.n; i++)
		able = able && build_text(b, build_action_at(p, i), true, "current.task");
	if (!able || build_watches_allocator(p))
		diag_error(b->diag, DIAG_UNABLE, p->plan->loc,
			   "'tree' does not work for %s here: its threads cannot keep how many "
			   "calls are open", p->plan->name);
}
