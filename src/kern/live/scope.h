/*
 * scope: what the command line selects by, as the kernel numbers it.
 */
#ifndef KERN_LIVE_SCOPE_H
#define KERN_LIVE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Is this another PID namespace than the machine's first? */
bool scope_pid_namespaced(void);
/* Which it is, as the kernel numbers it. 0: not known. */
void scope_pid_namespace(uint64_t *dev, uint64_t *inode);

/*
 * A cgroup (v2) by its folder, or by its path below the root of the hierarchy as
 * /proc/PID/cgroup has it. 0 or -errno.
 */
int scope_cgroup(const char *path, uint64_t *id, int *level, struct err *e);

/* Do these processes (option -p) or threads (-t) exist? 0 or -errno, with the one that does not; -p
 * of a thread that is not its process is an error, too. */
int scope_exist(const char *option, const int64_t *numbers, int n, struct err *e);

/* When each began, by the kernel's CLOCK_BOOTTIME, to PLAN_TICK_NS as /proc tells it; 0: not known. */
void scope_started(const int64_t *numbers, int n, uint64_t *started_ns);

/* In how many PID namespaces inside of culprit's these are, the most of all and at least `least`, up to
 * PLAN_NESTED_MOST. */
int scope_nested(const int64_t *numbers, int n, int least);

/* The path that executes this program again. */
const char *scope_own_program(void);

/* A row of /proc/meminfo in bytes, -1: no such row. For struct stage_env. */
double scope_meminfo(void *self, const char *name);

#endif
