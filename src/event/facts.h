/*
 * facts: what is known of tracepoints that neither their format nor BTF says.
 */
#ifndef EVENT_FACTS_H
#define EVENT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Names are in the rows themselves: a pointer costs its relocation, too, which is thrice it. */

/* A row of event.def. The first whose system and name match decides. */
struct event_fact {
	char system[16], name[32];	/* name: a glob */
	const char *class;		/* of its format: struct trace_event_raw_CLASS; NULL: its
					 * own name */
	bool interrupt, exclusive;	/* see struct cat_event */
	bool owner_runs, in_allocator;
	const char *owner;
	uint32_t null_args;		/* bit i: argument i may be NULL */
};

/* NULL: nothing is known. An empty system matches any. */
const struct event_fact *event_fact(struct str system, struct str name);
/* The i-th row, NULL past the end: for lists without tracefs and for tests. */
const struct event_fact *event_fact_at(int i);

/* A row of field.def: the field as an expression over the BTF arguments, or as one over
 * the field as it is stored. Several rows of one field are tried in order. */
struct field_fact {
	char system[16], name[32];	/* name: a glob */
	char field[16];
	const char *expr;
	bool raw;			/* expr is over the stored field */
};

const struct field_fact *field_fact_at(int i);
/* The next row of the field after `last` (NULL: the first), or NULL. */
const struct field_fact *field_fact_next(const struct field_fact *last, bool raw,
					 struct str system, struct str name, const char *field);

#endif
