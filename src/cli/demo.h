/*
 * demo: what `culprit demo` watches: a small slow program of its own, and the same
 * as made events for machines where nothing can be attached; and what it says of what
 * was measured.
 */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include "base/buf.h"
#include "table/table.h"

/* What the program is asked to do: the hidden argument behind it. */
#define DEMO_ARGUMENT "--demo-work"

/* The slow program; self: how to execute this binary again. */
int demo_work(const char *self, const char *part);

/* Its system calls, in the text form of replay/made.h. */
void demo_made(struct buf *out);

#define DEMO_HZ 199			/* samples a second */

/* What the rows of its queries show, in words: the calls' times (the longest first), the
 * files that were not there, samples (the most frequent last). Nothing of no rows. */
void demo_tell_calls(struct buf *b, const struct table *t);
void demo_tell_files(struct buf *b, const struct table *t);
void demo_tell_samples(struct buf *b, const struct table *t);

#endif
