/*
 * executor: what runs an image's programs: kern/ in the kernel, replay/ in this process over
 * recorded or made events. It has events and maps; what is made of them, intervals, rows,
 * tables and what was lost, is session/run.c's, for all executors alike.
 *
 * An executor is the first member of the struct that is behind it. Who opened it closes it.
 */
#ifndef BPF_EXECUTOR_H
#define BPF_EXECUTOR_H

#include <poll.h>

#include "base/err.h"
#include "base/wall.h"
#include "bpf/image.h"

/* Rows of a map: of an array n from `first` on, whose keys count from 0 as u64; of a hash all. */
struct map_part {
	int map;			/* number in image->maps */
	uint32_t first, n;
	bool clear;			/* takes them out; a row of an array becomes zeros */
};

/* values: n_values of them, stride bytes apart: one for each CPU, or one. An array's rows that are
 * all zero may be left out. */
typedef void map_row_fn(void *arg, const void *key, const void *values, int n_values, uint32_t stride);

/* A thread that has been in a system call since before events came. */
struct before_call {
	int nr;
	uint64_t args[6];
	int64_t tid, pid, ppid, uid, gid;
	char comm[16];
	uint64_t since_ns;		/* at least since then */
	uint64_t started_ns, process_started_ns;	/* CLOCK_BOOTTIME, to PLAN_TICK_NS; 0: not known */
};

struct map_source {
	void *self;
	/* 0 or -errno. */
	int (*read)(void *self, const struct map_part *p, map_row_fn *each, void *arg);
};

/* Why step returned, but for the time. */
enum executor_happened {
	EXECUTOR_ROWS = 1,		/* some were handed out: a good time to flush */
	/* and what ends a run: */
	EXECUTOR_ENOUGH = 2,		/* `enough` said so */
	EXECUTOR_EVENTS = 4,		/* no more events come */
	EXECUTOR_COMMAND = 8,		/* the command ended */
	EXECUTOR_BUDGET = 16,		/* --budget was exceeded */
	EXECUTOR_WAKE = 32,		/* wake_fd can be read */
	EXECUTOR_GONE = 64,		/* the processes or threads that were named have ended */
};
#define EXECUTOR_ENDS (~(unsigned)EXECUTOR_ROWS)
#define EXECUTOR_FDS_MOST 8

struct executor {
	const struct executor_ops *ops;
	/* Set by the run before it begins. row: a printed one, in the order of time; false: it is none
	 * of the image's. enough: no more events are wanted; NULL: never. */
	void *sink;
	bool (*row)(void *sink, const struct img_record *rec, uint32_t bytes);
	bool (*enough)(void *sink);
	/* Set by the executor when it is opened: */
	bool by_events;			/* its time is the events' own, and stands still between them */
	struct wall wall;		/* from its time to CLOCK_REALTIME */
	volatile uint64_t *globals;	/* the words of image->globals; NULL: there are none */
	uint64_t begin_ns;		/* and by begin: when that was */
};

struct executor_ops {
	/* Events come from here on. 0 or -errno. */
	int (*begin)(struct executor *x, struct err *e);
	/* Works until something happened (a set of the above) or its time is until_ns (UINT64_MAX: no
	 * limit). -errno after a fault. */
	int (*step)(struct executor *x, uint64_t until_ns, struct err *e);
	/* What a step would wait for: fills fds, makes *deadline_ns sooner; returns how many. NULL: a step
	 * never waits. */
	int (*wait)(const struct executor *x, struct pollfd *fds, uint64_t *deadline_ns);
	/* No more events; the last rows are handed out. Once is enough. */
	void (*stop)(struct executor *x);
	uint64_t (*now_ns)(const struct executor *x);	/* after stop: when that was */
	/* Returns when no program that began before the call still runs. NULL: none ever does. */
	void (*quiesce)(struct executor *x);
	int (*read)(void *x, const struct map_part *p, map_row_fn *each, void *arg);	/* a map_source's */
	/* Of plan->counters; early: of them at the start, while what was open before may still end. */
	void (*counters)(struct executor *x, uint64_t *counts, uint64_t *early);
	/* Who is left of the calls that no begin was seen of, those that did not run since this was asked
	 * before; how many. NULL: it knows of none. */
	int (*before)(struct executor *x, const struct before_call **calls);
	/* What else it counts, also with counts of 0; returns how many. */
	int (*losses)(struct executor *x, struct arena *a, struct loss **losses);
};

#endif
