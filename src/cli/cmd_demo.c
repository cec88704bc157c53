/*
 * culprit demo: makes something slow, watches it and says what the numbers show. The
 * watching is that of the shipped tools, on the command line that is printed. Where
 * programs cannot be loaded, the same queries run over made events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/demo.h"
#include "cli/output.h"
#include "kern/live/scope.h"
#include "session/made.h"

#define TEXT_OF(number) TEXT_OF_(number)
#define TEXT_OF_(number) #number

/* What is watched, and what it shows. */
static const struct act {
	const char *question;
	const char *tool;			/* NULL: a query of its own */
	const char *argv[6];			/* as typed; ends with NULL */
	const char *shown;			/* the command line for people */
	void (*tell)(struct buf *b, const struct table *t);
	bool live_only;				/* needs what made events do not have */
} acts[] = {
	{
		.question = "1. A program, slow-shop, is slow. Where does its time go?",
		.tool = "syscount", .argv = { "-L", "--top", "6", NULL },
		.shown = "culprit syscount -L --top 6 -- slow-shop",
		.tell = demo_tell_calls,
	},
	{
		.question = "2. Which files does it open in vain?",
		.argv = { "syscall:openat | where ret < 0 | count by path = str(filename), "
			  "error = errno(ret) | top 3", NULL },
		.shown = "culprit run 'syscall:openat | where ret < 0 | count by path = str(filename),\n"
			 "                             error = errno(ret) | top 3' -- slow-shop",
		.tell = demo_tell_files,
	},
	{
		.question = "3. And while it does not wait, who uses the CPU?",
		.tool = "profile", .argv = { "-P", "-F", TEXT_OF(DEMO_HZ), "--top", "3", NULL },
		.shown = "culprit profile -P -F " TEXT_OF(DEMO_HZ) " --top 3 -- slow-shop",
		.tell = demo_tell_samples,
		.live_only = true,
	},
};
#define ACTS (int)(sizeof(acts) / sizeof(acts[0]))

static void say(const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

/* ---- what is shown as text is then told in words ---- */

struct told {
	const struct act *act;
	struct buf words;
};

static void tell(struct sink *s, const struct sink_query *q, const struct table *t)
{
	struct told *told = (struct told *)s;

	(void)q;
	told->act->tell(&told->words, t);
}

static const struct sink_ops told_ops = { .table = tell };

/* ---- live ---- */

static int act_live(const struct act *act, struct told *told, bool *interrupted)
{
	const struct shipped_tool *tool = act->tool ? tool_find(act->tool) : NULL;
	char *argv[16];
	struct query q;
	int n = 0;

	for (int i = 0; act->argv[i]; i++)
		argv[n++] = (char *)act->argv[i];
	argv[n++] = "-q";
	argv[n++] = "--";
	argv[n++] = (char *)scope_own_program();
	argv[n++] = DEMO_ARGUMENT;
	argv[n++] = "shop";
	argv[n] = NULL;
	query_init(&q, tool ? tool->name : "query", tool);
	q.watch_ops = &told_ops;
	q.watch = (struct sink *)told;
	return run_query(&q, argv, interrupted);
}

/* ---- over made events ---- */

static int act_made(const struct act *act, struct told *told)
{
	const struct shipped_tool *tool = act->tool ? tool_find(act->tool) : NULL;
	struct output out = { .view = &view_text };
	struct made_target target;
	struct buf text = { 0 };
	struct made *made;
	struct query q;
	int status;

	demo_made(&text);
	query_init(&q, tool ? tool->name : "query", tool);
	q.watch_ops = &told_ops;
	q.watch = (struct sink *)told;
	out.q = &q;
	made = made_read(&q.arena, (struct str){ text.p, (int)text.n }, &q.err);
	status = made ? query_parse(&q, (char **)act->argv) : err_print(&q.err, END_FAILED);
	if (!status) {
		made_target_init(&target, made);
		q.session.target = &target.target;
		q.spec.options = (struct plan_options){ .uid = -1, .table_rows = q.options.table_rows,
							.max_open = q.options.max_open };
		q.spec.params = q.options.params.v;
		q.spec.n_params = q.options.params.n;
		target.target.ops->prepare(q.session.target, &q.spec, &q.err);
		status = query_compile(&q, 0);
	}
	if (!status)
		status = output_open(&out) ? err_print(&q.err, END_FAILED) :
			 output_follow(&out, session_load(&q.session));
	buf_fini(&text);
	query_fini(&q);
	return status;
}

/* ---- the command ---- */

static bool can_load(struct options *o)
{
	struct features f = { 0 };
	bool can;

	for (int i = 0; i < o->without.n; i++)
		feature_force_off(&f, o->without.v[i]);
	can = feature_has(&f, FEATURE_CAP_BPF) && feature_has(&f, FEATURE_CAP_PERFMON);
	features_fini(&f);
	return can;
}

static int demo(bool live)
{
	bool interrupted = false;
	int status = END_DONE;

	if (!live)
		say("BPF is not permitted here (`culprit doctor` says why), so this is the same over\n"
		    "events that were made beforehand; what is shown is computed all the same.\n");
	for (int i = 0; i < ACTS && !interrupted && !status; i++) {
		struct told told = { .act = &acts[i] };

		if (!live && acts[i].live_only)
			continue;
		printf("%s\n\n  $ %s\n\n", acts[i].question, acts[i].shown);
		fflush(stdout);
		status = live ? act_live(&acts[i], &told, &interrupted) : act_made(&acts[i], &told);
		if (!status)
			printf("\n%s\n\n", told.words.n ? told.words.p : "Nothing was measured.");
		buf_fini(&told.words);
	}
	if (!status && !interrupted)
		say("Now yours: `culprit` names the tools, `culprit help language` teaches queries.");
	return status;
}

static int run(struct options *o, struct err *e)
{
	(void)e;
	return demo(can_load(o));
}

int cmd_demo(char **argv)
{
	return run_wordless("demo", NULL, argv, run);
}
