/*
 * output: a query's results on their way out: the view that the options choose, the file
 * or standard output, and the first write that failed.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "cli/query.h"
#include "session/result.h"
#include "session/run.h"

struct output {
	struct names names;		/* filled by the executor, before output_open */
	double (*meminfo)(void *self, const char *name);	/* or NULL; likewise */
	int stop_fd;			/* can be read after a signal that asks to stop; likewise */
	const struct view_ops *view;
	struct result result;		/* since the run has begun */
	FILE *out;
	const char *path;		/* NULL: standard output */
	bool made;			/* there was no such file before */
	char *losses;			/* the lines for the end of a file, or NULL */
	int error;			/* -errno */
};

/* By --format or the file's ending; NULL with the error in q. */
const struct view_ops *output_view(struct query *q);
/* 0 or -errno with the error in q. Waits for a pipe's reader, until a signal asks to stop.
 * Nothing is written, and a file keeps what it has, before output_follow. */
int output_open(struct output *t, struct query *q, const struct view_ops *view);
/* Instead of output_follow and output_close, of a run that could not begin. */
void output_drop(struct output *t);
/* What q's run finds goes here: fills o but for what ends it. */
void output_of(struct output *t, struct query *q, struct run_options *o);
/* Follows a run that has begun to its end, shows what it finds and then what was lost. 0, or
 * negative with the error in q. happened: see run_follow. */
int output_follow(struct output *t, struct query *q, struct run *r, unsigned *happened);
/* Closes the view and the file; the exit status, with a message where it failed. */
int output_close(struct output *t);

#endif
