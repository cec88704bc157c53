/*
 * parallel: calls for which the kernel takes long, side by side in a few threads.
 */
#ifndef KERN_LIVE_PARALLEL_H
#define KERN_LIVE_PARALLEL_H

#define PARALLEL_MOST 8			/* threads */

/* each(arg, i) for all i below n; returns when all have returned. The kernel works for the
 * caller: as many threads as there are CPUs for it. */
void parallel_work(int n, void (*each)(void *arg, int i), void *arg);
/* The same, where the kernel only waits. */
void parallel_wait(int n, void (*each)(void *arg, int i), void *arg);

#endif
