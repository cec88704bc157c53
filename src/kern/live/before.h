/*
 * before: threads that were in a system call, or waited, before the programs saw anything, and
 * still do. No event tells of them: /proc does. It is asked when all is attached, and
 * again when somebody wants to know who is left: a thread has not left its call
 * if it is in the same one and did not run between two looks; one that did
 * run has begun the call anew, or the programs would know of it.
 */
#ifndef KERN_LIVE_BEFORE_H
#define KERN_LIVE_BEFORE_H

#include "bpf/executor.h"
#include "plan/plan.h"

#define BEFORE_MOST 4096		/* threads that are remembered */

struct before;

/* NULL: the plan asks for no such thing, or it cannot be told which threads the options mean. */
struct before *before_open(const struct plan *plan, const struct plan_options *scope, uint64_t now_ns);
void before_close(struct before *b);

/* Who is left. last: events come no more, so who runs from now on is not known any more. */
void before_look(struct before *b, bool last);
/* Those in a call that did not run since the look before, in any order. */
int before_calls(const struct before *b, const struct before_call **calls);
/* Those that the options name, or that are in one of the few calls that are asked for. */
int before_losses(const struct before *b, uint64_t now_ns, struct arena *a, struct loss *l);
#define BEFORE_LOSSES 1

#endif
