/*
 * diag: what is wrong with a query, where, and what to do.
 *
 * A pass that finds a mistake calls diag_error and goes on, so that one run
 * shows them all. The tags are the rows of lang/diag.def; each has a test
 * named after it. Printed as a compiler does:
 *
 *	culprit: query:1:38: no field 'sectr' in block:block_rq_issue [no-field]
 *	  from block:block_rq_issue | count by sectr
 *	                                       ^~~~~
 *	help: did you mean 'sector'?
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

/* A text that is compiled: a query of the command line or a file. */
struct source_text {
	const char *name;	/* "query", or the file's name */
	struct str text;
};

/* A place: `n` bytes from `at` of text. text == NULL: no place. */
struct loc {
	const struct source_text *text;
	int at, n;
};

struct diag_item {
	const char *tag;	/* of diag.def: "no-field" */
	bool warning;
	struct loc loc;
	const char *message;
	const char *help;	/* or NULL */
};

struct diag {
	struct arena *arena;
	VEC(struct diag_item) items;
	int errors;
	bool last_left_out;	/* it was said of that place already, or: */
	bool some_left_out;	/* there were more than DIAG_KEPT_MOST */
};

#define DIAG_SHOWN_MOST 10
#define DIAG_KEPT_MOST 1000

void diag_error(struct diag *d, const char *tag, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void diag_warning(struct diag *d, const char *tag, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Help for the item added last. */
void diag_help(struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* All items as text, in order of place, each place's first only, at most
 * DIAG_SHOWN_MOST. */
void diag_print(const struct diag *d, struct buf *out);

/* From the begin of a to the end of b. */
struct loc loc_join(struct loc a, struct loc b);
struct str loc_text(struct loc l);

#endif
