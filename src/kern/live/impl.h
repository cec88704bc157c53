/*
 * live_impl: what the files of the live executor share.
 *
 *	load.c		tables and programs into the kernel
 *	attach.c	programs to events, and away again
 *	attach_func.c	programs to functions
 *	ring.c		printed rows out of the ring buffer, in order
 *	maps.c		reading tables, waiting for programs that use them
 *	collect.c		stacks out of their table, processes whose stacks were met
 *	before.c	who was in a call before the start
 *	command.c	-- COMMAND
 *	cost.c		--cost and --budget
 *	live.c		the executor: one step of it
 */
#ifndef KERN_LIVE_IMPL_H
#define KERN_LIVE_IMPL_H

#include <sys/types.h>

#include "kern/clock.h"
#include "kern/feature.h"
#include "kern/live/live.h"
#include "kern/live/unwind.h"

struct before;
struct ring;
struct command;
struct cost;

struct live {
	struct executor x;
	const struct bpf_image *image;
	const struct plan *plan;
	struct live_options options;
	struct arena arena;
	int n_cpus;			/* possible ones: values in a per-CPU table */

	int *map_fds;			/* image->maps, -1: not made */
	int *prog_fds;			/* image->progs, -1: not loaded or given up */
	VEC(struct attached {
		int fd;			/* -1: its CPU is offline */
		int prog;		/* number in image->progs */
		int cpu;		/* of a sample or timer, else -1 */
	}) attached;			/* in order of attaching */
	VEC(const char *) refused;	/* functions that a wildcard goes without, and why */
	/* The plan's counters when all was attached and before detaching, or NULL. */
	uint64_t *first_counts, *kept_counts;
	uint64_t *early_counts;		/* and when EARLY_NS of the run were over, or NULL */
	uint64_t missed;		/* by the kernel's probes, of what is detached */
	uint64_t stopped_ns, detached_ns, drain_ns;	/* drain: when next */
	bool stopped;
	int64_t clock_ahead_ns;		/* CLOCK_MONOTONIC here, of events' */
	int wall_fd;			/* can be read when the time of day was set, or -1 */
	int cpus_fd;			/* ... when a CPU comes or goes, or -1 */
	uint64_t slept_ns;		/* of the machine, since it was booted */

	size_t globals_bytes;		/* x.globals is mapped */
	int quiesce;			/* row of maps.c's table that works here */
	int quiesce_outer, quiesce_inner;	/* descriptors, -1 */
	bool no_batch;			/* tables are read a row at a time: for tests */

	struct before *before;		/* NULL: nobody asks */
	struct ring *ring;
	struct stacks *stacks;		/* NULL: none is taken */
	struct taking *taking;
	struct command *command;
	struct cost *cost;
	struct unwind *unwind;		/* of programs' stacks, NULL: none are taken so */
	double budget_used;
	int command_status;
	bool command_ended;
};

/* Of the same clock as the times of events. */
static inline uint64_t live_now_ns(const struct live *s)
{
	return clock_ns(CLOCK_MONOTONIC) - (uint64_t)s->clock_ahead_ns;
}

static inline bool live_without(const struct live *s, enum feature_id id)	/* forced off? */
{
	return s->options.features && s->options.features->off[id];
}

/* ---- load.c ---- */
int load_collected_maps(struct live *s, struct err *e);	/* those of collect_open */
int load_maps(struct live *s, struct err *e);		/* all others */
int load_progs(struct live *s, struct err *e);
uint32_t load_ring_bytes(const struct live *s);
/* What to do when the kernel refuses for want of privilege. Returns code. */
int load_unable(struct err *e, int code);
/* The number of the instruction that a verifier's log ends with, or -1. */
int load_log_insn(const char *log);

/* ---- attach.c ---- */
int attach_all(struct live *s, struct err *e);
bool detach_all(struct live *s);		/* true: and none of the programs still runs */
void attach_again(struct live *s, int cpu);	/* what is on that CPU (CPUS_ALL): it came or went */
/* For what attaches: a descriptor that ends it when it is closed; a function that the
 * kernel refuses. */
void attach_keep(struct live *s, int prog, int fd);
void attach_refused(struct live *s, const char *function, int code);
/* attach_func.c */
int attach_fentry(struct live *s, int prog, const struct p_event *event, struct err *e);
int attach_func_each(struct live *s, int prog, const struct p_event *event, struct err *e);
int attach_func_multi(struct live *s, int prog, const struct p_event *event, struct err *e);
uint64_t attach_missed(int fd);		/* calls that the probe of this link missed */

/* ---- maps.c ---- */
/* Returns when no program that began before the call still runs. */
void maps_quiesce(struct live *s);
/* A map_source's, of a struct live. */
int maps_read(void *live, const struct map_part *p, map_row_fn *each, void *arg);
/* The plan's counters, summed over the CPUs. */
void maps_counters(struct live *s, uint64_t *counts);
/* The same, to be remembered: what half attached programs count of lone begins and ends is none. */
uint64_t *maps_keep_counters(struct live *s);

/* ---- ring.c ---- */
struct ring *ring_open(int fd, uint32_t bytes, struct err *e);
void ring_close(struct ring *r);
/* Reads what is there and hands out, in order, rows older than 1 ms before now_ns, or
 * all. Returns how many. */
int ring_drain(struct ring *r, uint64_t now_ns, bool all,
	       void (*each)(void *self, const struct img_record *rec, uint32_t bytes), void *self);
/* When to drain again, from how full it was. */
uint64_t ring_period_ns(const struct ring *r);
uint64_t ring_late(const struct ring *r);

/* ---- collect.c ---- */
int collect_open(struct live *s, struct err *e);
void collect_own(struct live *s);		/* the programs are loaded */
void collect_close(struct live *s);
int collect_fd(const struct live *s);		/* readable when a process is new; -1 */
void collect_processes(struct live *s);
int collect_notices_fd(const struct live *s);	/* ... when the kernel says something; -1 */
void collect_notices(struct live *s);
void collect_cpu(struct live *s, int cpu);	/* notices of this one (CPUS_ALL): it came or went */
void collect_stacks(struct live *s, uint64_t now_ns);	/* when they are due */
uint64_t collect_lost(const struct live *s);	/* notices */
uint64_t collect_deadline_ns(const struct live *s);

/* ---- command.c ---- */
/* Forks; the child waits. Its program is searched for. */
struct command *command_start(char *const *argv, struct err *e);
pid_t command_pid(const struct command *c);
const char *command_path(const struct command *c);	/* of its program */
int command_fd(const struct command *c);		/* a pidfd, readable when it ended */
/* It does nothing more but exec, and stands still before it, outside of the kernel. */
int command_ready(struct command *c, struct err *e);
/* Lets it run. What exec said if it could not. */
int command_release(struct command *c, struct err *e);
bool command_reap(struct command *c, int *status);	/* ended? */
void command_close(struct command *c);			/* ends it if it still runs */

/* ---- cost.c ---- */
struct cost *cost_open(struct live *s, struct err *e);
void cost_close(struct cost *c);
/* Begins and ends the measuring windows; true when the budget is exceeded. */
bool cost_step(struct live *s, uint64_t now_ns);
uint64_t cost_deadline_ns(const struct cost *c);
void cost_stop(struct live *s);		/* before detaching */
void cost_print(struct live *s, struct buf *out);

#endif
