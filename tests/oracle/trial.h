/*
 * trial: one program and its events, run in each way and compared with what its expressions give.
 */
#ifndef ORACLE_TRIAL_H
#define ORACLE_TRIAL_H

#include "compile.h"
#include "oracle/stages.h"
#include "replay/made.h"
#include "replay/replay.h"
#include "run.h"

struct trial {
	const char *how;		/* the way that is tried */
	struct arena *arena;
	struct moment moments[EVENTS];
	struct pairs *pairs;
	struct buf query, events;
	struct put_param params[PARAMS];
	int next[QUERIES_MOST];		/* of each query: the row that may come next */
	uint64_t cells;
	struct buf wrong;		/* what is, and all of the trial; nothing: nothing */
	struct buf mistakes;		/* of what is none of the language */
};

static void tell(struct trial *t, const char *what, int event, int column)
{
	if (!t->wrong.n)		/* one is enough of a program */
		buf_printf(&t->wrong, "%s: %s, event %d, column %d of: %.*s\n%.*s", t->how, what, event,
			   column, (int)t->query.n, t->query.p, (int)t->events.n, t->events.p);
}

/* The query's next row, with its evaluation in v; NULL: there is none. */
static const struct pair *next_row(struct trial *t, const struct p_query *q, struct eval *v)
{
	for (int *i = &t->next[q->index]; *i < t->pairs->n[q->index];) {
		const struct pair *row = &t->pairs->rows[q->index][(*i)++];

		*v = eval_of(t->pairs, row);
		if (passes(v, row->branch))
			return row;
	}
	return NULL;
}

static const char *shown(struct trial *t, struct value v)
{
	if (v.none)
		return "none";
	if (v.text.p)
		return arena_printf(t->arena, "\"%.*s\"", STR_ARG(v.text));
	return arena_printf(t->arena, "%" PRId64, (int64_t)v.bits);
}

static void on_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct trial *t = self;
	struct eval v = { 0 };
	const struct pair *row = next_row(t, q, &v);
	int at = (int)(time_ns / 1000000000);

	if (!row || row->at->time_ns != time_ns) {
		tell(t, "a row that should not be, or one is missing before it", at, 0);
		return;
	}
	for (int i = 0; i < q->n_columns; i++) {
		struct value want = eval(&v, row->branch->columns[i]), is = value_of_cell(&cells[i]);

		t->cells++;
		if (v.unknown)
			tell(t, v.unknown, at, i);
		else if (!values_equal(is, want))
			tell(t, arena_printf(t->arena, "%s where it is %s", shown(t, is), shown(t, want)), at, i);
	}
}

static void on_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *tables, int n)
{
	struct trial *t = self;
	struct groups g;
	const char *wrong = NULL;
	int column = 0;

	(void)a;
	groups_make(&g, q, t->pairs, &wrong);
	if (n != 1 || tables[0]->rows.n != g.n)
		wrong = "another number of keys";
	for (int i = 0; i < tables[0]->rows.n && !wrong; i++) {
		wrong = table_row_differs(&g, q, tables[0], tables[0]->rows.v[i], &column);
		t->cells += (uint64_t)tables[0]->n_columns;
	}
	t->next[q->index] = t->pairs->n[q->index];
	if (!wrong)
		wrong = stages_differ(t->arena, q, tables[0], &column);
	if (wrong)
		tell(t, wrong, 0, column);
}

static void run_one(struct trial *t, struct compile *c, struct made *m, bool checked)
{
	struct err e = { .arena = c->arena };
	struct made_reader reader = { m, 0 };
	struct record_source source = made_source(&reader);
	struct replay_options how = { .checked = checked };
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = checked,
				 .self = t, .row = on_row, .tables = on_tables };
	struct replay *replay = replay_open(&e, c->plan, c->image, &how, &source);
	struct run *r = replay ? run_open(replay_executor(replay), &o, &e) : NULL;
	struct eval v;
	unsigned happened;

	memset(t->next, 0, sizeof(t->next));
	if (!r || run_begin(r) || run_follow(r, &happened) || run_end(r))
		tell(t, e.causes.n ? e.causes.v[0] : "a run that fails", 0, 0);
	for (int i = 0; i < c->plan->queries.n && !t->wrong.n; i++)
		if (next_row(t, c->plan->queries.v[i], &v))
			tell(t, "a row is missing at the end", t->next[i], 0);
	run_close(r);
	replay_close(replay);
}

/* Compiles a text up to a pass, for the options that are given with it. */
static struct compile *compiled(struct trial *t, const struct catalog *catalog, const struct buf *text,
				bool as_emitted, char stop_after)
{
	struct param_value *given = arena_array(t->arena, struct param_value, PARAMS);
	struct compile *c = arena_new(t->arena, struct compile);

	*c = (struct compile){ .arena = t->arena, .diag.arena = t->arena, .catalog = catalog, .params = given,
			       .text = { "query", { text->p, (int)text->n } },
			       .options = { .has = { .replay = true }, .uid = -1, .cpus_possible = CPUS,
					    .as_emitted = as_emitted } };
	for (int i = 0; i < PARAMS && text == &t->query; i++)
		if (t->params[i].given)
			given[c->n_params++] = (struct param_value){ param_names[i], t->params[i].value };
	compile_run(c, stop_after);
	return c;
}

/* Compiled with the peephole or without, and run in both modes of the interpreter. False: it is
 * none of the language. */
static bool try_way(struct trial *t, struct made *m, bool as_emitted)
{
	static const char *const ways[2][2] = { { "native", "checked" },
						{ "native, as emitted", "checked, as emitted" } };
	struct catalog catalog = made_catalog(m);
	struct compile *c = compiled(t, &catalog, &t->query, as_emitted, 0);

	if (c->diag.errors) {
		diag_print(&c->diag, &t->mistakes);
		return false;
	}
	t->pairs = arena_new(t->arena, struct pairs);
	t->pairs->arena = t->arena;
	pairs_make(t->pairs, c->plan, t->moments);
	if (t->pairs->unknown)
		tell(t, t->pairs->unknown, 0, 0);
	for (int checked = 1; checked >= 0 && !t->wrong.n; checked--) {
		t->how = ways[as_emitted][checked];
		run_one(t, c, m, checked);
	}
	return true;
}

/* A program with the values of its parameters in their places has the same plan. */
static void try_params(struct trial *t, struct made *m, struct chooser choices)
{
	struct catalog catalog = made_catalog(m);
	struct buf text = { 0 }, plans[2] = { 0 };
	struct compile *c;

	put_program(&(struct generator){ .choices = choices, .in_place = true, .out = &text });
	c = compiled(t, &catalog, &t->query, false, 'p');
	plan_print(c->plan, &plans[0]);
	c = compiled(t, &catalog, &text, false, 'p');
	if (!c->diag.errors)
		plan_print(c->plan, &plans[1]);
	if (plans[0].n != plans[1].n || memcmp(plans[0].p, plans[1].p, plans[0].n)) {
		t->how = arena_printf(t->arena, "in place:\n%.*s\n%.*s\n%.*s", (int)text.n, text.p,
				      (int)plans[0].n, plans[0].p, (int)plans[1].n, plans[1].p);
		tell(t, "another plan", 0, 0);
	}
	buf_fini(&plans[0]);
	buf_fini(&plans[1]);
	buf_fini(&text);
}

/* One program over its events, as they are chosen. False: it is none of the language. */
static bool trial_run(struct trial *t, struct chooser query, struct chooser events)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct generator g = { .choices = query, .out = &t->query };
	struct made *m;
	bool is_program;

	put_program(&g);
	memcpy(t->params, g.params, sizeof(t->params));
	put_events(&events, &t->events, t->moments);
	m = made_read(&a, (struct str){ t->events.p, (int)t->events.n }, &e);
	t->arena = &a;
	is_program = m && try_way(t, m, false);
	if (is_program)
		try_params(t, m, query);
	if (m && try_way(t, m, true) != is_program)
		tell(t, "it compiles only with the peephole, or without", 0, 0);
	arena_fini(&a);
	return is_program;
}

static void trial_fini(struct trial *t)
{
	buf_fini(&t->query);
	buf_fini(&t->events);
	buf_fini(&t->wrong);
	buf_fini(&t->mistakes);
}

#endif
