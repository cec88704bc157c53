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

#define CPUS_ALL (-1)

/* A descriptor that can be read when the kernel says that a CPU comes or goes. -1: it does not. */
int cpus_watch(void);
/* The next that it says, or CPUS_ALL if some of it was lost. False: no more. */
bool cpus_changed(int fd, int *cpu);

#endif
