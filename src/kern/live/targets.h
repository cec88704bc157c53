/*
 * targets: the processes and threads that the command line names by number. When they are gone, no
 * more events of theirs come.
 */
#ifndef KERN_LIVE_TARGETS_H
#define KERN_LIVE_TARGETS_H

#include <stdbool.h>

struct targets;
struct plan_options;

/* NULL: none are named, or what they start counts, too, or the kernel does not tell their ends. */
struct targets *targets_open(const struct plan_options *o);
void targets_close(struct targets *m);

/* Can be read when one ended. -1: there is none. */
int targets_fd(const struct targets *m);
/* Takes notice of that. Are all processes that were named gone, or all threads? */
bool targets_gone(struct targets *m);

#endif
