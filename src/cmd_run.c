/*
 * A query or a tool, live: compile, attach, show what comes until an end comes.
 *
 * Ends: the time of -d, the intervals of -n, the rows of `first`, the command, the
 * budget, Ctrl-C, SIGTERM or SIGHUP, output that cannot be written. After each of them the
 * programs are taken away first and then what was gathered is shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "kern/knames.h"
#include "kern/scope.h"
#include "kern/session.h"
#include "query.h"
#include "replay/open_rows.h"
#include "output.h"
#include "trace.h"

#define NO_LIMIT (-1)

struct run {
	struct query *query;
	struct session *session;
	struct open_rows *open_rows;	/* NULL: no query of `open` */
	struct knames *knames;
	struct output output;
	uint64_t deadline_ns;		/* 0: none */
	int64_t intervals_left;		/* NO_LIMIT: no end */
	bool whole;			/* so is the last interval */
	bool interrupted;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- what comes ---- */

static void show_row(void *self, const struct img_rows *rows, const struct img_record *rec,
		     const struct cell *cells)
{
	struct run *r = self;

	if (!r->output.error)
		result_row(&r->output.result, rows->query, rec->time_ns, cells);
}

/* Nothing was counted: no rows, or the one row without keys is all zero. */
static bool is_empty(const struct table *t)
{
	for (int i = 0; i < t->rows.n; i++)
		for (int c = 0; c < t->n_columns; c++) {
			const struct cell *cell = &t->rows.v[i][c];

			if (t->columns[c].role == COL_KEY || cell->kind == CELL_BYTES ||
			    (cell->kind == CELL_INT && cell->i) ||
			    (cell->kind == CELL_REAL && cell->r != 0) ||
			    (cell->kind == CELL_HIST && cell->hist->n))
				return false;
		}
	return true;
}

static void keep_begin(void *arg, const void *record)
{
	open_rows_add(arg, record);
}

/* The begins that are open, as rows: the times are those of `of`. */
static struct table *read_open(struct run *r, const struct img_table *t, const struct table *of,
			       struct arena *a)
{
	const struct bpf_image *image = r->query->compile.image;
	struct table *out;
	uint64_t now;

	for (int i = 0; i < image->opens.n; i++) {
		if (image->opens.v[i].query != t->query)
			continue;
		open_rows_begin(r->open_rows, i);
		if (session_begins(r->session, image->opens.v[i].begins, keep_begin, r->open_rows,
				   &r->query->err))
			return NULL;
	}
	now = session_now_ns(r->session);	/* what was listed began before it */
	out = open_rows_table(r->open_rows, t, now, (double)(of->end_ns - of->begin_ns) / 1e9, a,
			      &r->query->err);
	if (out) {
		out->interval = of->interval;
		out->begin_ns = of->begin_ns;
		out->end_ns = of->end_ns;
	}
	return out;
}

static struct table *read_table(struct run *r, const struct p_query *q, struct arena *a)
{
	const struct bpf_image *image = r->query->compile.image;
	struct table *t = session_table(r->session, q, a, &r->query->err);

	for (int i = 0; t && q->open && i < image->tables.n; i++)
		if (image->tables.v[i].query == q)
			return read_open(r, &image->tables.v[i], t, a);
	return t;
}

/* The query's table or its join's parts. rest: of an interval that was cut short, which is
 * left out when it is a moment in which nothing came. */
static int show_tables(struct run *r, const struct p_query *q, bool rest)
{
	int n = q->parts.n ? q->parts.n : 1;
	struct arena window = { 0 };
	struct table **parts = arena_array(&window, struct table *, n);
	bool empty = rest && q->every_ns;

	for (int i = 0; i < n; i++) {
		const struct p_query *part = q->parts.n ? q->parts.v[i] : q;

		parts[i] = read_table(r, part, &window);
		if (!parts[i]) {
			arena_fini(&window);
			return -EIO;
		}
		if (parts[i]->end_ns - parts[i]->begin_ns > q->every_ns / 20 || !is_empty(parts[i]))
			empty = false;
	}
	if (!empty && !r->output.error)
		result_tables(&r->output.result, &window, q, parts, n);
	output_flush(&r->output);
	arena_fini(&window);
	return 0;
}

static int show_due(struct run *r)
{
	const struct plan *plan = r->query->compile.plan;

	session_end_intervals(r->session);
	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];

		if (q->is_part || !p_query_is_table(q) ||
		    !session_due(r->session, q->parts.n ? q->parts.v[0] : q))
			continue;
		if (show_tables(r, q, false))
			return -EIO;
	}
	return 0;
}

static int64_t time_left(const struct run *r)
{
	uint64_t now = now_ns();

	if (!r->deadline_ns)
		return -1;
	return r->deadline_ns > now ? (int64_t)(r->deadline_ns - now) : 0;
}

/* Until something ends it. The last interval of -d and -n ends when the tracing does, so that
 * nothing falls between. 0 or -errno. */
static int watch(struct run *r, unsigned *happened)
{
	const unsigned ends = SESSION_COMMAND | SESSION_FIRST | SESSION_BUDGET | SESSION_WAKE;

	for (;;) {
		int64_t left = time_left(r);

		if (!left)
			return 0;
		*happened = session_step(r->session, left);
		if (*happened & SESSION_ROWS)
			output_flush(&r->output);
		if (*happened & ends || r->output.error)
			return 0;
		if (!(*happened & SESSION_INTERVAL))
			continue;
		r->whole = r->intervals_left == 1 || !time_left(r);
		if (r->whole)
			return 0;
		if (show_due(r))
			return -EIO;
		if (r->intervals_left > 0)
			r->intervals_left--;
	}
}

/* ---- ends ---- */

static int show_rest(struct run *r)
{
	const struct plan *plan = r->query->compile.plan;

	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];

		if (!q->is_part && p_query_is_table(q) && show_tables(r, q, !r->whole))
			return -EIO;
	}
	return 0;
}

static void show_losses(struct run *r)
{
	const struct options *o = &r->query->options;
	struct arena a = { 0 };
	struct loss *losses;
	int n = session_losses(r->session, &a, &losses);

	/* The plan's counters come first. */
	for (int i = 0; r->open_rows && i < r->query->compile.plan->counters.n; i++)
		losses[i].count += open_rows_counter(r->open_rows, i);

	output_losses(&r->output, losses, n, o->verbose);
	if (o->cost) {
		struct buf b = { 0 };

		session_cost(r->session, &b);
		fwrite(b.p ? b.p : "", 1, b.n, stderr);
		buf_fini(&b);
	}
	arena_fini(&a);
}

static int status_of(struct run *r, unsigned happened, int code)
{
	int status = END_DONE;

	if (code)
		status = err_print(&r->query->err, END_FAILED);
	if (happened & SESSION_BUDGET) {
		fprintf(stderr, "culprit: the tracing took %.2f%% of the CPUs' time, more than "
			"--budget %g: it was taken away\n", session_budget_used(r->session),
			r->query->options.budget_percent);
		status = END_FAILED;
	}
	return status;
}

/* ---- the run ---- */

static void say_begun(const struct run *r)
{
	const struct options *o = &r->query->options;
	const struct plan *plan = r->query->compile.plan;

	/* A tool's user did not write the query and can't change it. */
	for (int i = 0; i < plan->queries.n && !o->quiet && !r->query->tool; i++)
		for (int k = 0; k < plan->queries.v[i]->nones.n; k++)
			fprintf(stderr, "culprit: %s\n", plan->queries.v[i]->nones.v[k]);

	/* Scripts that wait for this line ask for it with -v. */
	if (!o->quiet && (o->verbose || (!o->command && isatty(STDERR_FILENO))))
		fputs(o->duration_ns ? "culprit: tracing; Ctrl-C ends it earlier\n" :
		      "culprit: tracing; Ctrl-C ends it\n", stderr);
}

static int trace(struct run *r)
{
	unsigned happened = 0;
	int code, written;

	if (session_attach(r->session, &r->query->err))
		return err_print(&r->query->err, END_FAILED);
	if (r->query->options.duration_ns)
		r->deadline_ns = session_begin_ns(r->session) +
				 (uint64_t)r->query->options.duration_ns;
	say_begun(r);
	code = watch(r, &happened);
	r->interrupted = happened & SESSION_WAKE;
	session_stop(r->session);
	if (!code)
		code = show_rest(r);
	if (!r->output.error)
		result_rest(&r->output.result);
	output_flush(&r->output);
	show_losses(r);
	written = output_close(&r->output);
	code = status_of(r, happened, code);
	return written ? written : code;
}

static int run_image(struct run *r, const struct view_ops *view)
{
	struct query *q = r->query;
	struct session_options o = {
		.cpus = q->compile.options.cpus, .n_cpus = q->compile.options.n_cpus,
		.command = q->options.command, .cost = q->options.cost,
		.lines = q->options.lines,
		.budget_percent = q->options.budget_percent,
		.row = show_row, .self = r, .features = &q->machine->features,
	};
	int status;

	o.wake_fd = stop_open();
	if (q->compile.image->opens.n) {
		r->open_rows = open_rows_open(&q->err, q->compile.image, false);
		if (!r->open_rows)
			return err_print(&q->err, END_FAILED);
	}
	r->session = session_open(q->compile.image, q->compile.plan, &o, &q->err);
	if (!r->session) {
		open_rows_close(r->open_rows);
		return err_print(&q->err, END_FAILED);
	}
	r->knames = knames_open(session_wall_offset_ns(r->session));
	knames_stacks(r->knames, session_stacks(r->session));
	r->output.names = knames_names(r->knames);
	r->intervals_left = q->options.intervals ? q->options.intervals : NO_LIMIT;
	if (output_open(&r->output, q, view)) {
		open_rows_close(r->open_rows);
		session_close(r->session);
		return err_print(&q->err, END_FAILED);
	}
	r->output.result.meminfo = scope_meminfo;
	status = trace(r);
	open_rows_close(r->open_rows);
	session_close(r->session);
	knames_close(r->knames);
	return status;
}

/* --halves: two intervals, whatever the query says. */
static int halve(struct query *q)
{
	struct options *o = &q->options;

	if (!o->halves)
		return 0;
	if (!o->duration_ns || o->interval_ns) {
		err_help(&q->err, "-d 10 --halves -o change.svg");
		return err_push(&q->err, -EINVAL, "--halves needs -d, and no -i");
	}
	o->interval_ns = o->duration_ns / 2;
	o->duration_ns = o->interval_ns * 2;
	return 0;
}

/* Can the view show this? */
static int check_view(struct query *q, const struct view_ops *view)
{
	const char *why = result_misfit(q->compile.plan, view);

	if (!why && q->options.halves && (!view->suits || !p_query_is_table(q->compile.plan->queries.v[0])))
		why = "--halves is for pictures of a table: `| count by stack`, --format svg";
	return why ? err_push(&q->err, -EINVAL, "--format %s: %s", view->name, why) : 0;
}

/* Of a process that has ended nothing would ever come. */
static int check_scope(struct query *q)
{
	const struct options *o = &q->options;

	if (scope_exist("-p", o->pids.v, o->pids.n, &q->err) ||
	    scope_exist("-t", o->tids.v, o->tids.n, &q->err))
		return err_print(&q->err, END_FAILED);
	return END_DONE;
}

static int run(struct query *q, bool *interrupted)
{
	struct run r = { .query = q };
	const struct view_ops *view = output_view(q);
	int status;

	if (!view)
		return err_print(&q->err, END_WRONG);
	if (halve(q))
		return err_print(&q->err, END_WRONG);
	if (q->options.trace || q->options.begin || q->options.end)
		return trace_run(q, view);
	status = query_target(q);
	if (!status)
		status = check_scope(q);
	if (!status)
		status = query_compile(q, 0);
	if (!status && check_view(q, view))
		status = err_print(&q->err, END_WRONG);
	if (!status)
		status = run_image(&r, view);
	*interrupted = r.interrupted;
	return status;
}

int run_query(struct query *q, char **argv, bool *interrupted)
{
	int status = query_parse(q, argv);

	if (!status && q->options.help) {
		if (q->tool)
			print_tool_help(q->tool);
		else if (q->options.file)
			print_query_help(query_is_file(q->options.file) ? q->options.file :
					 arena_printf(&q->arena, "run -f %s", q->options.file), q->compile.ast);
		else
			cmd_help((char *[]){ "run", NULL });
		status = put_end(END_DONE);
	} else if (!status) {
		status = run(q, interrupted);
	}
	query_fini(q);
	return status;
}

int cmd_run(char **argv)
{
	bool interrupted = false;
	struct query q;

	query_init(&q, "query", NULL);
	return run_query(&q, argv, &interrupted);
}

int cmd_file(char **argv)
{
	bool interrupted = false;
	struct query q;
	VEC(char *) given = { 0 };

	query_init(&q, argv[0], NULL);
	vec_push(&q.arena, &given, "-f");
	for (; *argv; argv++)
		vec_push(&q.arena, &given, *argv);
	vec_push(&q.arena, &given, NULL);
	return run_query(&q, given.v, &interrupted);
}

int cmd_tool(const struct shipped_tool *tool, char **argv)
{
	bool interrupted = false;
	struct query q;

	if (suggest_wanted(tool, argv))
		return cmd_suggest(tool, argv);
	query_init(&q, tool->name, tool);
	return run_query(&q, argv, &interrupted);
}
