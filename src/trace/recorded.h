/*
 * recorded: the events of a trace (ctf/) as a catalog and as records.
 *
 *	r = recorded_open(trace);
 *	compile a query with recorded_catalog(r)
 *	recorded_begin(r, &wants, &range);
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
 * live fields; `syscall:read`). Only what is wanted is decoded.
 *
 * Which thread ran is known from the events' contexts or, without them, from the state
 * dump, switches, forks and execs; what is not known is none.
 */
#ifndef TRACE_RECORDED_H
#define TRACE_RECORDED_H

#include "base/vec.h"
#include "ctf/ctf.h"
#include "lang/record.h"
#include "table/names.h"

struct recorded;

/* An event that is asked for. */
struct recorded_event {
	const struct cat_event *event;
	uint64_t words;				/* of its record that are read: RECORD_BIT */
	bool any_call;				/* of a call's end: all calls, or these numbers, */
	uint64_t calls[SYSCALL_MOST / 64];	/* a bit each */
};

/* What of a trace is asked for. */
struct recorded_wants {
	VEC(struct recorded_event) events;	/* one for each cat_event */
	bool running;				/* which thread runs */
	bool thread_ends;			/* something is kept in threads, and ends with them */
	bool time;				/* time that passes is noticed without events, too */
	bool stacks;
	bool any_order;				/* the order of events is nothing */
};

struct recorded *recorded_open(struct ctf *trace);
void recorded_close(struct recorded *r);
struct catalog recorded_catalog(struct recorded *r);

/* wants has to live as long as r. True: the order of events is nothing to what is read for them
 * either, and the streams can be shared. */
bool recorded_begin(struct recorded *r, const struct recorded_wants *wants,
		    const struct ctf_options *range);
/* The next record, in order of time; NULL at the end. One without an event tells the time
 * of the trace's begin and end. */
const struct record *recorded_next(struct recorded *r);

struct recorded *recorded_share(struct recorded *r);
/* What they learned is r's; they are to be closed. */
void recorded_unshare(struct recorded *r, struct recorded *const *shares, int n);

/* Names of disks, as the state dump has them, and stacks. Good while r is. */
struct names recorded_names(struct recorded *r);
/* What shows the stack of an id, before one is asked for: names' own function of stacks. */
void recorded_stacks(struct recorded *r, const struct stack *(*show)(void *self, struct arena *a,
			const void *id, int bytes), void *self);

#endif
