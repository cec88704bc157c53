/*
 * view: one way to show results. Sees the table, the column types and the
 * names interface; knows nothing of events, kernels or traces.
 *
 * To add one: src/view/x.c and a row in view/view.def.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <stdio.h>

#include "table/names.h"
#include "table/sink.h"

/* Pictures of a difference: which two are compared. */
enum view_diff { VIEW_NO_DIFF, VIEW_DIFF_QUERIES, VIEW_DIFF_HALVES };

/* How the command line wants it. */
struct view_options {
	FILE *out;
	bool header;			/* --no-header clears it */
	bool color;
	bool timestamp;			/* -T */
	int width;			/* of the terminal, where values are adapted (1.2 ms);
					 * 0: a pipe or file, never cut, units in the header */
	const struct names *names;
	const char *title;		/* tool or "query" */
	const char *query;		/* NULL, or the text of a query of one's own, in a line */
	const char *run;		/* NULL, or the command line, where and when it ran */
	uint8_t diff;			/* enum view_diff: query 0 and 1, interval 0 and the rest */
	const char *sides[2];		/* their names */
	void *self;			/* of a view that a command has for itself */
};

enum view_shape {
	VIEW_LINES,			/* rows and tables of all queries, written as they come */
	VIEW_METRICS,			/* numbers of tables, the last one of each query, at the end */
	VIEW_PICTURE,			/* the stacks of one query, drawn at the end */
	VIEW_SHAPES
};

struct view_ops {
	const char *name;		/* "text" */
	const char *help;
	enum view_shape shape;
	const char *endings;		/* file endings that choose it: "json jsonl" */
	bool comments;			/* a file's lines that begin with # are no data: at its
					 * end they say what was lost */
	struct sink *(*open)(const struct view_options *o);
	/* NULL, or why results of this shape can't be shown so. No function: all can. */
	const char *(*suits)(const struct sink_query *q);
	/* flush returns -errno of a write that failed (-EPIPE, -ENOSPC). losses are those that belong into
	 * the stream (JSON); text shows them on standard error through losses_print. */
	struct sink_ops sink;
	int (*close)(struct sink *v);
};

#define VIEW(name) extern const struct view_ops view_##name;
#include "view/view.def"
#undef VIEW
extern const struct view_ops *const view_registry[];	/* ends with NULL */

const struct view_ops *view_find(const char *name);
const struct view_ops *view_for_file(const char *path);	/* by its ending, or NULL */
/* The names of those of one shape, or of all (VIEW_SHAPES): " svg html"; "svg or html". */
void view_names(struct buf *b, enum view_shape shape);
void view_choices(struct buf *b, enum view_shape shape);

#endif
