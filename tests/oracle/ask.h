/*
 * ask: a program's answer over made events or a recorded trace, as lines of CSV of each query.
 */
#ifndef ORACLE_ASK_H
#define ORACLE_ASK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/made.h"
#include "replay/replay.h"
#include "replay/wants.h"
#include "session/compile.h"
#include "session/result.h"
#include "session/run.h"
#include "trace/recorded.h"
#include "view/view.h"

#define CPUS 4

struct ask;
struct answer;

/* What is asked: made events as text, a recorded trace, or a load that is the same each time. */
struct world {
	struct answer (*live)(struct arena *a, const struct ask *ask);
	const struct buf *made;
	struct ctf *trace;
	bool whole;			/* no event is missing */
};

struct ask {
	const char *program;
	const char *comm;		/* --comm, or NULL */
	const int *cpus;		/* --cpu */
	int n_cpus;
	const int64_t *pids;		/* -p */
	int n_pids;
	int64_t interval_ns;		/* -i, or 0 */
	int query;			/* the lines are those of this one and, */
	bool both;			/* of the next one */
};

struct answer {
	VEC(char *) lines;		/* sorted */
	const char *mistake;		/* or NULL: the first of what the program is not */
};

/* A run on its way to the lines. */
struct asking {
	const struct ask *ask;
	struct arena *arena;
	struct result result;
	struct recorded *recorded;
};

static bool is_asked(const struct asking *g, const struct p_query *q)
{
	return q->index == g->ask->query || (g->ask->both && q->index == g->ask->query + 1);
}

static void ask_row(void *self, const struct p_query *q, uint64_t time_ns, const struct cell *cells)
{
	struct asking *g = self;

	if (is_asked(g, q))
		result_row(&g->result, q, time_ns, cells);
}

static void ask_tables(void *self, struct arena *a, const struct p_query *q, struct table *const *t, int n)
{
	struct asking *g = self;

	if (is_asked(g, q))
		result_tables(&g->result, a, q, t, n);
}

static const struct record *ask_next(void *self)
{
	return recorded_next(((struct asking *)self)->recorded);
}

static void run_asked(struct asking *g, struct compile *c, struct record_source source, struct err *e)
{
	struct replay_options how = { .checked = !g->recorded };
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = how.checked,
				 .self = g, .row = ask_row, .tables = ask_tables };
	struct replay *replay = replay_open(e, c->plan, c->image, &how, &source);
	struct run *r = replay ? run_open(replay_executor(replay), &o, e) : NULL;
	unsigned happened;

	if (!r || run_begin(r) || run_follow(r, &happened) || run_end(r))
		err_push(e, -EINVAL, "a run that fails");
	run_close(r);
	replay_close(replay);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void take_lines(struct answer *to, struct arena *a, char *text)
{
	for (char *end; *text; text = end + 1) {
		end = text + strcspn(text, "\n");
		if (end > text)
			vec_push(a, &to->lines, arena_strndup(a, text, (size_t)(end - text)));
		if (!*end)
			break;
	}
}

static void answer_sort(struct answer *a)
{
	if (a->lines.n)
		qsort(a->lines.v, (size_t)a->lines.n, sizeof(*a->lines.v), compare_lines);
}

/* Compiled against the catalog and run over the source. */
static struct answer answer_of(struct asking *g, const struct catalog *catalog, struct record_source source,
			       struct err *e)
{
	struct answer answer = { .mistake = NULL };
	struct compile c = {
		.arena = g->arena, .diag.arena = g->arena, .catalog = catalog,
		.text = { "query", str_of(g->ask->program) },
		.options = { .has = { .tp_btf = true, .task_storage = true, .replay = true },
			     .uid = -1, .comm_glob = g->ask->comm, .cpus = g->ask->cpus,
			     .n_cpus = g->ask->n_cpus, .pids = g->ask->pids, .n_pids = g->ask->n_pids,
			     .interval_ns = g->ask->interval_ns, .table_rows = 10240, .max_open = 10240,
			     .cpus_possible = CPUS } };
	struct view_options view = { 0 };
	struct sink *csv;
	size_t bytes = 0;
	char *text = NULL;

	if (compile_run(&c, 0)) {
		answer.mistake = c.diag.items.v[0].message;
		return answer;
	}
	if (g->recorded)
		recorded_begin(g->recorded, replay_wants(g->arena, c.image), &(struct ctf_options){ .has_begin = false });
	view.out = open_memstream(&text, &bytes);
	csv = view_csv.open(&view);
	result_open(&g->result, c.plan, &view_csv.sink, csv, NULL);
	run_asked(g, &c, source, e);
	result_close(&g->result);
	view_csv.close(csv);
	fclose(view.out);
	take_lines(&answer, g->arena, text);
	free(text);
	answer_sort(&answer);
	if (e->causes.n)
		answer.mistake = e->causes.v[0];
	return answer;
}

static struct answer ask_made(struct asking *g, const struct buf *events, struct err *e)
{
	struct made *m = made_read(g->arena, (struct str){ events->p, (int)events->n }, e);
	struct made_reader reader = { m, 0 };
	struct catalog catalog;

	if (!m)
		return (struct answer){ .mistake = e->causes.v[0] };
	catalog = made_catalog(m);
	return answer_of(g, &catalog, made_source(&reader), e);
}

static struct answer ask_trace(struct asking *g, struct ctf *trace, struct err *e)
{
	struct catalog catalog;
	struct answer answer;

	g->recorded = recorded_open(trace);
	catalog = recorded_catalog(g->recorded);
	answer = answer_of(g, &catalog, (struct record_source){ g, NULL, ask_next }, e);
	recorded_close(g->recorded);
	return answer;
}

/* What it holds is in the arena. */
static struct answer ask(struct arena *a, const struct world *w, const struct ask *ask)
{
	struct asking g = { .ask = ask, .arena = a };
	struct err e = { .arena = a };

	if (w->live)
		return w->live(a, ask);
	return w->made ? ask_made(&g, w->made, &e) : ask_trace(&g, w->trace, &e);
}

#endif
