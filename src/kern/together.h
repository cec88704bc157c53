/*
 * together: calls for which the kernel takes long, side by side in a few threads.
 */
#ifndef KERN_TOGETHER_H
#define KERN_TOGETHER_H

#define TOGETHER_MOST 8			/* threads */

/* each(arg, i) for all i below n; returns when all have returned. The kernel works for the
 * caller: as many threads as there are CPUs for it. */
void together_work(int n, void (*each)(void *arg, int i), void *arg);
/* The same, where the kernel only waits. */
void together_wait(int n, void (*each)(void *arg, int i), void *arg);

#endif
