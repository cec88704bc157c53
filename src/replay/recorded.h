/*
 * recorded: the events of a trace (ctf/) as a catalog and as records.
 *
 *	r = recorded_open(trace);
 *	compile a query with recorded_catalog(r)
 *	recorded_begin(r, image, &range);
 *	while ((record = recorded_next(r)))
 *		replay_event(...);
 *	recorded_close(r);		the trace stays the caller's
 *
 * When recorded_begin says so, other threads can read before that: recorded_share for each,
 * recorded_next of those until each is at its end, recorded_unshare; then only records without
 * an event are left for recorded_next of r.
 *
 * Events have the trace's own names (`sched_switch`, `shop:order_end`) and, where a row of
 * lttng.def has one, the name that they have live (`sched:sched_switch`, with the
 * live fields; `syscall:read`). Only what the programs of the image use is decoded.
 *
 * Which thread ran is known from the events' contexts or, without them, from the state
 * dump, switches, forks and execs; what is not known is none.
 */
#ifndef REPLAY_RECORDED_H
#define REPLAY_RECORDED_H

#include "bpf/image.h"
#include "ctf/ctf.h"
#include "replay/record.h"
#include "table/names.h"

struct recorded;
struct replay;

struct recorded *recorded_open(struct ctf *trace);
void recorded_close(struct recorded *r);
struct catalog recorded_catalog(struct recorded *r);

/* any_order: no period and no row needs the order of events. True: nor does anything that is
 * read for them, and the streams can be shared. */
bool recorded_begin(struct recorded *r, const struct bpf_image *image,
		    const struct ctf_options *range, bool any_order);
/* The next record, in order of time; NULL at the end. One without an event tells the time
 * of the trace's begin and end. */
const struct record *recorded_next(struct recorded *r);

struct recorded *recorded_share(struct recorded *r);
/* What they learned is r's; they are to be closed. */
void recorded_unshare(struct recorded *r, struct recorded *const *shares, int n);

/* Names of disks, as the state dump has them, and stacks. Good while r is. */
struct names recorded_names(struct recorded *r);
/* Where the frames of stacks are that programs took; before a stack is asked for. */
void recorded_stacks(struct recorded *r, const struct replay *replay);

#endif
