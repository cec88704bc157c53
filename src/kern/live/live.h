/*
 * live: an image in the running kernel: the live executor (bpf/executor.h). Its time is
 * CLOCK_MONOTONIC. Beginning attaches, ends before begins, then lets the command go; stopping
 * detaches and waits for programs that still run.
 *
 * Nothing is pinned: all of it goes with the process, however that ends.
 */
#ifndef KERN_LIVE_LIVE_H
#define KERN_LIVE_LIVE_H

#include "base/buf.h"
#include "bpf/executor.h"

struct features;
struct live;
struct targets;

struct live_options {
	const int *cpus;		/* --cpu: samples are taken there; n_cpus 0: everywhere */
	int n_cpus;
	char *const *command;		/* -- COMMAND, ended by NULL; or NULL */
	bool cost;			/* measure for live_cost */
	double budget_percent;		/* of the time of all CPUs together; 0: no limit */
	struct targets *targets;		/* the run ends with them; NULL: none */
	int wake_fd;			/* a step returns when it can be read; -1: none */
	bool lines;			/* stacks with source lines and inlined functions */
	const struct plan_options *scope;	/* whose calls from before the start are told; NULL: nobody's */
	uint32_t ring_bytes;		/* 0: the image's, else the default */
	struct features *features;	/* those forced off are not used, its types are; NULL: none is */
};

/* NULL and e filled when the kernel says no. plan and image must outlive it. */
struct live *live_open(const struct bpf_image *image, const struct plan *plan,
		       const struct live_options *o, struct err *e);
struct executor *live_executor(struct live *s);

/* The programs whose statistics --cost asked for, own CPU time, bytes of tables. */
void live_cost(struct live *s, struct buf *out);
/* How much the programs took of all CPUs' time when the budget was exceeded. */
double live_budget_used(const struct live *s);

/* Stacks that its programs met: for knames_stacks(). NULL: they take none. */
struct stacks *live_stacks(const struct live *s);

/* The wait status of the command, when EXECUTOR_COMMAND was returned. */
int live_command_status(const struct live *s);

/* Ends a command that still runs, frees all. NULL is fine. */
void live_close(struct live *s);

#endif
