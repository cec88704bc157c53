/* Threads that take the next number until there is none: see parallel.h. */
#define _GNU_SOURCE
#include "kern/live/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

struct jobs {
	atomic_int next;
	int n;
	void (*each)(void *arg, int i);
	void *arg;
};

static void *take_jobs(void *of)
{
	struct jobs *jobs = of;
	int i;

	while ((i = atomic_fetch_add(&jobs->next, 1)) < jobs->n)
		jobs->each(jobs->arg, i);
	return NULL;
}

/* This thread works, too, and does all where none is to be had. */
static void run(struct jobs *jobs, int most)
{
	pthread_t threads[PARALLEL_MOST];
	int n = jobs->n < most ? jobs->n : most, started = 0;

	while (started < n - 1 && !pthread_create(&threads[started], NULL, take_jobs, jobs))
		started++;
	take_jobs(jobs);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

static int cpus_for_us(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? PARALLEL_MOST : CPU_COUNT(&set);

	return n < PARALLEL_MOST ? n : PARALLEL_MOST;
}

void parallel_work(int n, void (*each)(void *arg, int i), void *arg)
{
	run(&(struct jobs){ .n = n, .each = each, .arg = arg }, cpus_for_us());
}

void parallel_wait(int n, void (*each)(void *arg, int i), void *arg)
{
	run(&(struct jobs){ .n = n, .each = each, .arg = arg }, PARALLEL_MOST);
}
