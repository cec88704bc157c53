/*
 * trace: what the commands do with --trace PATH: its events as text, their names and
 * fields, what is in it and what it lost; queries and tools over it.
 */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "base/buf.h"
#include "cli/query.h"
#include "ctf/ctf.h"
#include "view/view.h"

/* Runs a parsed query over its options' trace; the exit status. */
int trace_run(struct query *q, const struct view_ops *view);

/*
 * A query that only names events of the trace (`*`, `sched_*`, `shop:order_end`) shows them
 * as they were recorded: a view of its own, whose rows are the lines that ctf_print_event or ctf_json_event writes.
 */
struct trace_printer {
	struct ctf *trace;
	bool *wanted;			/* by the class's number */
	struct buf text;
};

/* Makes q's spec the query whose rows are all events, filters apart. Who prints those that q names as
 * `view` prints rows, with p as its `self`; NULL: q is none such, or not in this format, and p is empty. */
const struct view_ops *trace_printer_open(struct trace_printer *p, struct ctf *t, struct query *q,
					  const struct view_ops *view);
void trace_printer_close(struct trace_printer *p);

/* Each prints what was wrong and returns the exit status. */
int trace_list(const struct options *o, const char *glob, struct err *e);
/* Which tools it can feed; what it lacks for the others. */
int trace_list_tools(const struct options *o, const char *glob, struct err *e);
int trace_doctor(const char *path, struct err *e);
/* The tools' names, as the doctor says them. */
void trace_add_tools(struct ctf *t, struct buf *b);

/* --begin and --end of this trace; 0 or -EINVAL. The date is the trace's first event's
 * where only the time of the day is given. */
int trace_range(struct ctf *t, const struct options *o, struct ctf_options *range,
		struct err *e);
/* On standard error: what of the trace could not be read. */
void trace_say_notes(const struct ctf *t, const struct options *o);
/* Says on standard error that the trace, which was read, has nothing in the range. */
void trace_say_range(const struct ctf *t, const struct options *o);
/* Zeroed before the first event. */
struct trace_progress {
	int64_t began_ms, last_ms;
	bool is_shown;
};
/* The share that was read and events a second, once a second, on a terminal's standard error. */
void trace_progress(const struct ctf *t, struct trace_progress *p);
void trace_progress_end(struct trace_progress *p);	/* takes the line away */

#endif
