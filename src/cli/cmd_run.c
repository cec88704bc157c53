/*
 * A query or a tool, live: compile, attach, show what comes until an end comes.
 *
 * Ends: the time of -d, the intervals of -n, the rows of `first`, the command, the
 * processes of -p, the budget, Ctrl-C, SIGTERM or SIGHUP, output that cannot be written. After each of them the
 * programs are taken away first and then what was gathered is shown.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/left_out.h"
#include "cli/output.h"
#include "cli/query.h"
#include "cli/trace.h"
#include "kern/live/scope.h"

static void show_cost(const struct query *q)
{
	struct buf b = { 0 };

	if (!q->options.cost)
		return;
	live_target_cost(&q->session.loaded, &b);
	fwrite(b.p ? b.p : "", 1, b.n, stderr);
	buf_fini(&b);
}

static int status_of(struct query *q, unsigned happened, int code)
{
	int status = END_DONE;

	if (code)
		status = err_print(&q->err, END_FAILED);
	if (happened & EXECUTOR_BUDGET) {
		fprintf(stderr, "culprit: stopped: tracing used %.2f%% of the CPUs' time, "
			"--budget is %g\n", live_target_budget_used(&q->session.loaded),
			q->options.budget_percent);
		status = END_FAILED;
	}
	if (happened & EXECUTOR_GONE && !q->options.quiet)
		fprintf(stderr, "culprit: ended: %s\n", q->options.pids.n ? "the processes of -p are gone" :
			"the threads of -t are gone");
	return status;
}

/* ---- the run ---- */

static void say_left_out(const struct query *q)
{
	struct buf b = { 0 };

	if (!q->options.quiet)
		left_out_print(&q->session.compile, "culprit: ", false, q->options.verbose, &b);
	fputs(b.p ? b.p : "", stderr);
	buf_fini(&b);
}

static void say_begun(const struct query *q)
{
	const struct options *o = &q->options;

	query_say_nones(q);
	/* Scripts that wait for this line ask for it with -v. */
	if (!o->quiet && (o->verbose || (!o->command && isatty(STDERR_FILENO))))
		fputs(o->duration_ns ? "culprit: tracing; Ctrl-C ends it earlier\n" :
		      "culprit: tracing; Ctrl-C ends it\n", stderr);
}

static int trace(struct query *q, struct output *out, bool *interrupted)
{
	unsigned happened = 0;
	int code, written;

	say_left_out(q);
	if (session_begin(&q->session, &output_ops, (struct sink *)out)) {
		output_drop(out);
		return err_print(&q->err, END_FAILED);
	}
	say_begun(q);
	code = output_run(out, &happened);
	*interrupted = happened & EXECUTOR_WAKE;
	show_cost(q);
	written = output_close(out);
	code = status_of(q, happened, code);
	return written ? written : code;
}

static int run_live(struct query *q, const struct view_ops *view, bool *interrupted)
{
	struct output out = { .q = q, .view = view };

	q->spec.stop_fd = stop_open();
	if (session_load(&q->session) || output_open(&out))
		return err_print(&q->err, END_FAILED);
	return trace(q, &out, interrupted);
}

/* --halves: two intervals, whatever the query says. */
static int halve(struct query *q)
{
	struct options *o = &q->options;

	if (!o->halves)
		return 0;
	if (!o->duration_ns || o->interval_ns) {
		err_help(&q->err, "as in: -d 10 --halves -o change.svg");
		return err_push(&q->err, -EINVAL, "--halves needs -d and does not work with -i");
	}
	o->interval_ns = o->duration_ns / 2;
	o->duration_ns = o->interval_ns * 2;
	return 0;
}

/* Can the view show this? */
static int check_view(struct query *q, const struct view_ops *view)
{
	const char *why = output_misfit(q->session.compile.plan, view);

	if (!why && q->options.halves &&
	    (view->shape != VIEW_PICTURE || !p_query_is_table(q->session.compile.plan->queries.v[0])))
		why = "--halves needs a picture of a table: `| count by stack` and --format svg";
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
	const struct view_ops *view = q->only_watched ? NULL : output_view(q);
	int status;

	if (!view && !q->only_watched)
		return err_print(&q->err, END_WRONG);
	q->spec.options.quote = view == &view_json;
	if (halve(q))
		return err_print(&q->err, END_WRONG);
	if (q->options.trace || q->options.begin || q->options.end)
		return trace_run(q, view);
	status = query_target(q);
	if (!status)
		status = check_scope(q);
	if (!status)
		status = query_compile(q, 0);
	if (!status && view && check_view(q, view))
		status = err_print(&q->err, END_WRONG);
	if (!status)
		status = run_live(q, view, interrupted);
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
					 arena_printf(&q->arena, "run -f %s", q->options.file), q->session.compile.ast);
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
	if (probe_said(tool, argv))
		return END_WRONG;
	query_init(&q, tool->name, tool);
	return run_query(&q, argv, &interrupted);
}
