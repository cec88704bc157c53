/*
 * open_rows: the rows of `open`: a program of the image is run over the records of the
 * begins that are open, in this process, whoever keeps them: the kernel's tables
 * or replay's. So both executors make the same rows of the same records.
 *
 *	for each of image->opens of the query:
 *		open_rows_begin(o, its number);
 *		for each record of its begins: open_rows_add(o, key, record);
 *	open_rows_before(o, query, calls, n);
 *	t = open_rows_table(o, of which table, now, ...);
 */
#ifndef VM_OPEN_ROWS_H
#define VM_OPEN_ROWS_H

#include "agg/read.h"
#include "base/err.h"
#include "bpf/executor.h"

struct open_rows;

/* NULL with e filled when a program is not one that can be run here. checked: see
 * struct replay_options. */
struct open_rows *open_rows_open(struct err *e, const struct bpf_image *image, bool checked);
void open_rows_close(struct open_rows *o);

/* The records that follow are of image->opens.v[open]. */
void open_rows_begin(struct open_rows *o, int open);
void open_rows_add(struct open_rows *o, const void *key, const void *record);	/* copied */

/* Calls that are open since before the start: those that are not among the above become rows of the
 * query, too, whose durations are at least so long. 0 or -errno, as of open_rows_table. */
int open_rows_before(struct open_rows *o, const struct p_query *q, const struct before_call *calls, int n,
		     struct err *e);

/* The table of what was added, the longest open first where rows are printed; then all
 * is forgotten. NULL with e filled after a fault of a program, our own mistake. */
struct table *open_rows_table(struct open_rows *o, const struct reading *of, uint64_t now_ns,
			      struct arena *a, struct err *e);
uint64_t open_rows_counter(const struct open_rows *o, int counter);	/* of plan->counters */

#endif
