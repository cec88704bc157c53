/*
 * demo: what `culprit demo` watches: a small slow program of its own, and the same
 * as made events for machines where nothing can be attached.
 */
#ifndef DEMO_H
#define DEMO_H

#include "base/buf.h"

/* What the program is asked to do: the hidden argument behind it. */
#define DEMO_ARGUMENT "--demo-work"

/* The slow program; self: how to execute this binary again. */
int demo_work(const char *self, const char *part);

/* Its system calls, in the text form of replay/made.h. */
void demo_made(struct buf *out);

#endif
