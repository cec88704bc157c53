/*
 * output: the results of a session on their way out: the view that the options choose, the file or
 * standard output, and the first write that failed.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "cli/query.h"

struct output {
	struct query *q;
	const struct view_ops *view;	/* NULL: only q->watch is told */
	void *view_self;		/* of a view that a command has for itself */
	/* since the run has begun: */
	struct sink *writer;		/* the view */
	/* output.c's own: */
	FILE *out;
	const char *path;		/* NULL: standard output */
	bool made;			/* there was no such file before */
	char *losses;			/* the lines for the end of a file, or NULL */
	int error;			/* -errno */
};

/* By --format or the file's ending; NULL with the error in q. */
const struct view_ops *output_view(struct query *q);
/* NULL, or why the view can't show what the plan's queries give. */
const char *output_misfit(const struct plan *plan, const struct view_ops *ops);
/* 0 or -errno with the error in q. Waits for a pipe's reader, until a signal asks to stop.
 * Nothing is written, and a file keeps what it has, before the run has begun. */
int output_open(struct output *t);
/* A sink for session_begin. */
extern const struct sink_ops output_ops;
/* Instead of output_close, of a run that could not begin. */
void output_drop(struct output *t);
/* Closes the view and the file; the exit status, with a message where it failed. */
int output_close(struct output *t);

/* The same for who begins it: until an end, and what was lost. 0, or negative with the error in q.
 * happened: see session_follow. */
int output_run(struct output *t, unsigned *happened);
/* A session that is loaded (code: what session_load returned), from its begin to what was lost; what
 * goes wrong is said. The exit status. */
int output_follow(struct output *t, int code);

#endif
