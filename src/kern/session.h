/*
 * session: an image in the running kernel: the live executor (bpf/executor.h). Its time is
 * CLOCK_MONOTONIC. Beginning attaches, ends before begins, then lets the command go; stopping
 * detaches and waits for programs that still run.
 *
 * Nothing is pinned: all of it goes with the process, however that ends.
 */
#ifndef KERN_SESSION_H
#define KERN_SESSION_H

#include "base/buf.h"
#include "bpf/executor.h"

struct features;
struct session;

struct session_options {
	const int *cpus;		/* --cpu: samples are taken there; n_cpus 0: everywhere */
	int n_cpus;
	char *const *command;		/* -- COMMAND, ended by NULL; or NULL */
	bool cost;			/* measure for session_cost */
	double budget_percent;		/* of the time of all CPUs together; 0: no limit */
	int wake_fd;			/* a step returns when it can be read; -1: none */
	bool lines;			/* stacks with source lines and inlined functions */
	uint32_t ring_bytes;		/* 0: the image's, else the default */
	struct features *features;	/* those forced off are not used, its types are; NULL: none is */
};

/* NULL and e filled when the kernel says no. plan and image must outlive it. */
struct session *session_open(const struct bpf_image *image, const struct plan *plan,
			     const struct session_options *o, struct err *e);
struct executor *session_executor(struct session *s);

/* The programs whose statistics --cost asked for, own CPU time, bytes of tables. */
void session_cost(struct session *s, struct buf *out);
/* How much the programs took of all CPUs' time when the budget was exceeded. */
double session_budget_used(const struct session *s);

/* Stacks that its programs met: for knames_stacks(). NULL: they take none. */
struct stacks *session_stacks(const struct session *s);

/* The wait status of the command, when EXECUTOR_COMMAND was returned. */
int session_command_status(const struct session *s);

/* Ends a command that still runs, frees all. NULL is fine. */
void session_close(struct session *s);

#endif
