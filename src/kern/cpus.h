/*
 * cpus: which processors there are.
 */
#ifndef KERN_CPUS_H
#define KERN_CPUS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

struct cpus {
	VEC(int) list;			/* rising */
};

/* "0-3,5" as the kernel writes it; false: not such a list, or beyond 65535. */
bool cpus_parse(struct arena *a, struct str text, struct cpus *cpus);
/* Those that run now. Never empty. */
void cpus_online(struct arena *a, struct cpus *cpus);
/* How many values a per-CPU table has for a key. */
int cpus_possible(void);

#endif
