/*
 * A query or a tool, live: compile, attach, show what comes until an end comes.
 *
 * Ends: the time of -d, the intervals of -n, the rows of `first`, the command, the
 * budget, Ctrl-C or SIGTERM, output that cannot be written. After each of them the
 * programs are taken away first and then what was gathered is shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kern/knames.h"
#include "kern/scope.h"
#include "kern/session.h"
#include "query.h"
#include "replay/open_rows.h"
#include "result.h"

#define NO_LIMIT (-1)

struct run {
	struct query *query;
	struct session *session;
	struct open_rows *open_rows;	/* NULL: no query of `open` */
	struct knames *knames;
	struct names names;
	struct result result;
	FILE *out;
	uint64_t deadline_ns;		/* 0: none */
	int64_t intervals_left;		/* NO_LIMIT: no end */
	int write_error;		/* -errno */
	bool interrupted;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- output ---- */

/* Endings of formats that a later version has: a file of that name is not text. */
static const char *later_ending(const char *path)
{
	static const char *const endings[] = { "folded", "svg", "html", "lami", "prom" };
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (!strcmp(dot + 1, endings[i]))
			return endings[i];
	return NULL;
}

static const struct view_ops *choose_view(struct query *q)
{
	const struct options *o = &q->options;
	const struct view_ops *v = NULL;
	const char *name = o->format;
	struct buf names = { 0 };

	if (!name) {
		v = o->output ? view_for_file(o->output) : NULL;
		name = v || !o->output ? NULL : later_ending(o->output);
		if (!name)
			return v ? v : &view_text;
	}
	v = view_find(name);
	if (v)
		return v;
	for (int i = 0; view_registry[i]; i++)
		buf_printf(&names, " %s", view_registry[i]->name);
	err_help(&q->err, "formats:%s", names.p);
	err_push(&q->err, -EINVAL, "--format %s: no such format", name);
	buf_fini(&names);
	return NULL;
}

/* 0: not a terminal. */
static int terminal_width(FILE *out)
{
	struct winsize w = { 0 };

	if (!isatty(fileno(out)))
		return 0;
	return !ioctl(fileno(out), TIOCGWINSZ, &w) && w.ws_col ? w.ws_col : 80;
}

static bool use_color(const struct options *o, bool terminal)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return terminal && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

static int open_output(struct run *r, const struct view_ops *view)
{
	const struct options *o = &r->query->options;
	struct view_options v;

	r->out = o->output ? fopen(o->output, "we") : stdout;
	if (!r->out) {
		err_push(&r->query->err, -errno, "cannot write %s: %s", o->output, strerror(errno));
		return -errno;
	}
	setvbuf(r->out, NULL, _IOFBF, 65536);
	v = (struct view_options){
		.out = r->out, .header = !o->no_header, .timestamp = o->timestamp,
		.width = terminal_width(r->out), .names = &r->names, .title = r->query->title,
	};
	v.color = use_color(o, v.width > 0);
	result_open(&r->result, r->query->compile.plan, view, &v);
	r->result.meminfo = scope_meminfo;
	return 0;
}

static void flush(struct run *r)
{
	if (!r->write_error)
		r->write_error = result_flush(&r->result);
}

/* Closes the view and the file. */
static void close_output(struct run *r)
{
	int error = result_close(&r->result);

	if (!r->write_error)
		r->write_error = error;
	if (r->query->options.output && fclose(r->out) && !r->write_error)
		r->write_error = -errno;
}

/* ---- what comes ---- */

static void show_row(void *self, const struct img_rows *rows, const struct img_record *rec,
		     const struct cell *cells)
{
	struct run *r = self;

	if (!r->write_error)
		result_row(&r->result, rows->query, rec->time_ns, cells);
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
	uint64_t now = session_now_ns(r->session);
	struct table *out;

	for (int i = 0; i < image->opens.n; i++) {
		if (image->opens.v[i].query != t->query)
			continue;
		open_rows_begin(r->open_rows, i);
		if (session_begins(r->session, image->opens.v[i].begins, keep_begin, r->open_rows,
				   &r->query->err))
			return NULL;
	}
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

/* The query's table or its join's parts. rest: of the last interval, which is left out
 * when it is a moment in which nothing came. */
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
	if (!empty && !r->write_error)
		result_tables(&r->result, &window, q, parts, n);
	flush(r);
	arena_fini(&window);
	return 0;
}

static int show_due(struct run *r)
{
	const struct plan *plan = r->query->compile.plan;
	bool counted = false;

	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];

		if (q->is_part || !p_query_is_table(q) ||
		    !session_due(r->session, q->parts.n ? q->parts.v[0] : q))
			continue;
		if (show_tables(r, q, false))
			return -EIO;
		counted = true;
	}
	if (counted && r->intervals_left > 0)
		r->intervals_left--;
	return 0;
}

static int64_t time_left(const struct run *r)
{
	uint64_t now = now_ns();

	if (!r->deadline_ns)
		return -1;
	return r->deadline_ns > now ? (int64_t)(r->deadline_ns - now) : 0;
}

/* Until something ends it. 0 or -errno. */
static int watch(struct run *r, unsigned *happened)
{
	const unsigned ends = SESSION_COMMAND | SESSION_FIRST | SESSION_BUDGET | SESSION_WAKE;

	for (;;) {
		int64_t left = time_left(r);

		if (!left)
			return 0;
		*happened = session_step(r->session, left);
		if (*happened & SESSION_INTERVAL && show_due(r))
			return -EIO;
		if (*happened & SESSION_ROWS)
			flush(r);
		if (*happened & ends || !r->intervals_left || r->write_error)
			return 0;
	}
}

/* ---- ends ---- */

static int show_rest(struct run *r)
{
	const struct plan *plan = r->query->compile.plan;

	for (int i = 0; i < plan->queries.n; i++) {
		const struct p_query *q = plan->queries.v[i];
		bool over = q->every_ns && !r->intervals_left;

		if (!q->is_part && p_query_is_table(q) && !over && show_tables(r, q, true))
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

	fflush(r->out);
	if (!r->write_error)
		r->result.ops->losses(r->result.view, losses, n);
	view_print_losses(stderr, losses, n, r->result.rows, o->verbose);
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
	if (r->write_error && r->write_error != -EPIPE) {
		const char *to = r->query->options.output;

		fprintf(stderr, "culprit: cannot write%s%s: %s\n", to ? " " : "", to ? to : "",
			strerror(-r->write_error));
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

	if (!o->quiet && !o->command && isatty(STDERR_FILENO))
		fputs(o->duration_ns ? "culprit: tracing; Ctrl-C ends it earlier\n" :
		      "culprit: tracing; Ctrl-C ends it\n", stderr);
}

static int trace(struct run *r)
{
	unsigned happened = 0;
	int code;

	if (session_attach(r->session, &r->query->err))
		return err_print(&r->query->err, END_FAILED);
	if (r->query->options.duration_ns)
		r->deadline_ns = now_ns() + (uint64_t)r->query->options.duration_ns;
	say_begun(r);
	code = watch(r, &happened);
	r->interrupted = happened & SESSION_WAKE;
	session_stop(r->session);
	if (!code)
		code = show_rest(r);
	flush(r);
	show_losses(r);
	close_output(r);
	return status_of(r, happened, code);
}

static int run_image(struct run *r, const struct view_ops *view)
{
	struct query *q = r->query;
	struct session_options o = {
		.cpus = q->compile.options.cpus, .n_cpus = q->compile.options.n_cpus,
		.command = q->options.command, .cost = q->options.cost,
		.budget_percent = q->options.budget_percent,
		.row = show_row, .self = r, .features = &q->features,
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
	r->names = knames_names(r->knames);
	r->intervals_left = q->options.intervals ? q->options.intervals : NO_LIMIT;
	if (open_output(r, view)) {
		open_rows_close(r->open_rows);
		session_close(r->session);
		return err_print(&q->err, END_FAILED);
	}
	status = trace(r);
	open_rows_close(r->open_rows);
	session_close(r->session);
	knames_close(r->knames);
	return status;
}

static int run(struct query *q, bool *interrupted)
{
	struct run r = { .query = q };
	const struct view_ops *view = choose_view(q);
	int status;

	if (!view)
		return err_print(&q->err, END_WRONG);
	status = query_target(q);
	if (!status)
		status = query_compile(q, 0);
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

int cmd_tool(const struct shipped_tool *tool, char **argv)
{
	bool interrupted = false;
	struct query q;

	query_init(&q, tool->name, tool);
	return run_query(&q, argv, &interrupted);
}
