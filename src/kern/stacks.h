/*
 * stacks: the frames of stacks that programs of a run met, by id, and what their
 * names will need.
 *
 * Programs keep frames in a table of the kernel; culprit takes them out of it now and
 * then (stacks_add), so that all of a run need not fit there, and looks one up there
 * that it has to show before (`missing`). A process is told at its first stack
 * (stacks_process), so that its mappings are noted then; of one that is gone by then the
 * kernel's notices have told (stacks_notice).
 */
#ifndef KERN_STACKS_H
#define KERN_STACKS_H

#include "base/err.h"
#include "bpf/image.h"
#include "table/table.h"

struct stacks;
struct ksyms;
struct notice;

/* missing: fills s from the kernel's table, false when it is not there either. lines:
 * source lines and inlined functions, too. */
struct stacks *stacks_open(bool lines, int64_t clock_ahead_ns, bool (*missing)(void *self, const void *id,
						      struct img_stack *s), void *self);
void stacks_close(struct stacks *s);

/* Why there can be no lines though they are wanted; NULL: nothing is in the way. */
const char *stacks_no_lines(const struct stacks *s);

/* A program of our own, by its tag of 8 bytes: what is above it is left out. */
void stacks_own(struct stacks *s, const uint8_t *tag);
void stacks_process(struct stacks *s, const struct img_process *p);
void stacks_notice(struct stacks *s, const struct notice *n);
void stacks_add(struct stacks *s, const void *id, const struct img_stack *stack);

/* The stack of an id (of two: table/type.h), named; in a. */
const struct stack *stacks_show(struct stacks *s, struct ksyms *k, struct arena *a,
				const void *id, int bytes);
/* What could not be kept or named, counted. Returns how many. */
#define STACKS_LOSSES 20
int stacks_losses(const struct stacks *s, struct loss *losses);

#endif
