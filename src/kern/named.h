/*
 * named: the processes and threads that the command line names by number. When they are gone, no
 * more events of theirs come.
 */
#ifndef KERN_NAMED_H
#define KERN_NAMED_H

#include <stdbool.h>

struct named;
struct plan_options;

/* NULL: none are named, or what they start counts, too, or the kernel does not tell their ends. */
struct named *named_open(const struct plan_options *o);
void named_close(struct named *m);

/* Can be read when one ended. -1: there is none. */
int named_fd(const struct named *m);
/* Takes notice of that. Are all processes that were named gone, or all threads? */
bool named_gone(struct named *m);

#endif
