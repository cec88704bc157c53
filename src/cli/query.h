/*
 * query: what run, explain and every tool begin with: the text, its options, this
 * machine, and the passes over them.
 *
 *	query_init(&q, title, tool or NULL)
 *	status = query_parse(&q, argv)		END_DONE: go on, or q.options.help
 *	status = query_compile(&q, stop_after)
 *	query_fini(&q)
 *
 * What is wrong is on standard error already when the status is not END_DONE.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "cli/ending.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "session/live.h"
#include "session/recorded.h"
#include "session/session.h"
#include "view/view.h"

struct query {
	struct arena arena;
	struct err err;
	const char *title;			/* the tool's name, or "query" */
	char **argv;				/* what is behind it, as given */
	const struct shipped_tool *tool;	/* NULL: run, explain */
	struct options options;
	const struct sink_ops *watch_ops;	/* who sees what is found, too; NULL: nobody */
	struct sink *watch;
	bool only_watched;			/* no view shows it */
	struct option_set set;
	struct live_target own, *machine;	/* the own one, until somebody lends another */
	struct spec spec;
	struct session session;			/* its target is the machine, or a trace that the caller opened */
};

void query_init(struct query *q, const char *title, const struct shipped_tool *tool);
int query_parse(struct query *q, char **argv);
/* Is a word the name of a query file: ends with .q, or is a path that can be read? */
bool query_is_file(const char *word);
/* Fills the spec from the options, and asks the machine what can be named there. */
int query_target(struct query *q);
/* The same for the options' trace, which it opens: options that make no sense there are refused. t is to
 * be closed in any case. */
int query_target_trace(struct query *q, struct recorded_target *t);
int query_compile(struct query *q, char stop_after);
/* The source that a tool or a file is to be told as a plain argument, and was not; or NULL. */
const struct ast_param *query_missing_source(const struct query *q);
void query_fini(struct query *q);

/* Parses argv and runs q live, as commands do (cli/cmd_run.c); q is gone afterwards.
 * interrupted: set when Ctrl-C, SIGTERM or SIGHUP ended it. */
int run_query(struct query *q, char **argv, bool *interrupted);

/* The text of a file, "-": of standard input. 0 or -errno with e filled. */
int query_read_file(struct arena *a, const char *path, struct source_text *text, struct err *e);
/* On standard error, before a run: what in q can never be there. A tool's user did not write the
 * query and can't change it. */
void query_say_nones(const struct query *q);
/* All that a pass had to say, on standard error. */
/* Parameters whose letter or name a common option has, which wins. */
void query_warn_clashes(const struct source_text *text, const struct ast *ast);
void query_print_diag(const struct diag *d);

#endif
