/*
 * session: an image in the running kernel: loaded, attached, read, taken away.
 *
 *	s = session_open(image, plan, &options, err);		loaded, nothing runs yet
 *	session_attach(s, err);					from here on it traces
 *	while ((happened = session_step(s, timeout_ns)) ...)	rows go to options.row
 *		if (happened & SESSION_INTERVAL)
 *			session_end_intervals(s)
 *			for each query: if (session_due(s, q)) session_table(s, q, arena, err)
 *	session_stop(s);					detached, last rows handed out
 *	session_table(s, q, ...), session_losses(s, ...), session_cost(s, ...)
 *	session_close(s);
 *
 * Nothing is pinned: all of it goes with the process, however that ends.
 */
#ifndef KERN_SESSION_H
#define KERN_SESSION_H

#include "base/buf.h"
#include "base/err.h"
#include "bpf/image.h"

struct features;
struct session;

struct session_options {
	const int *cpus;		/* --cpu: samples are taken there; n_cpus 0: everywhere */
	int n_cpus;
	char *const *command;		/* -- COMMAND, ended by NULL; or NULL */
	bool cost;			/* measure for session_cost */
	double budget_percent;		/* of the time of all CPUs together; 0: no limit */
	int wake_fd;			/* session_step returns when it can be read; -1: none */
	bool lines;			/* stacks with source lines and inlined functions */
	uint32_t ring_bytes;		/* 0: the image's, else the default */
	struct features *features;	/* those forced off are not used, its types are; NULL: none is */
	/* A printed row, in the order of time. cells and rec are valid during the call. */
	void (*row)(void *self, const struct img_rows *r, const struct img_record *rec,
		    const struct cell *cells);
	void *self;
};

/* NULL and e filled when the kernel says no. plan and image must outlive it. */
struct session *session_open(const struct bpf_image *image, const struct plan *plan,
			     const struct session_options *o, struct err *e);
/* Attaches, ends before begins, then lets the command go. 0 or a negative errno. */
int session_attach(struct session *s, struct err *e);

enum session_happened {
	SESSION_ROWS = 1,		/* some were handed out: a good time to flush */
	SESSION_INTERVAL = 2,		/* of some queries is over: session_end_intervals */
	SESSION_COMMAND = 4,		/* the command ended */
	SESSION_FIRST = 8,		/* every query with `first N` has its rows */
	SESSION_BUDGET = 16,		/* --budget was exceeded: all is detached */
	SESSION_WAKE = 32		/* wake_fd can be read */
};

/* Works until something happened (a set of the above) or timeout_ns passed (0);
 * timeout_ns < 0: no limit. */
unsigned session_step(struct session *s, int64_t timeout_ns);

/* Those that are over. Who stops instead has in the last one all that came until then. */
void session_end_intervals(struct session *s);

/* Detaches, waits for programs that still run, hands out all rows. Once is enough. */
void session_stop(struct session *s);

/* Has an interval of the query (or of the join it is a part of) ended that was not read? */
bool session_due(const struct session *s, const struct p_query *q);
/*
 * The result of an aggregating query, before its table stages: of the interval
 * that is due, which begins anew with that; after session_stop of what is left. Of
 * `every D keep` all since the beginning. NULL and e filled if reading failed.
 */
struct table *session_table(struct session *s, const struct p_query *q, struct arena *a,
			    struct err *e);

/* The begins that are open now, in the image's map of this number: for queries of `open`,
 * whose session_table is only its times. 0 or -errno with e filled. */
int session_begins(struct session *s, int map, void (*each)(void *arg, const void *record),
		   void *arg, struct err *e);
/* When all was attached, on CLOCK_MONOTONIC: where the first interval begins. */
uint64_t session_begin_ns(const struct session *s);
/* Until when what session_begins gives has been open: now, or when it was stopped. */
uint64_t session_now_ns(const struct session *s);

/* All that can be lost, also with counts of 0; returns how many. */
int session_losses(struct session *s, struct arena *a, struct loss **losses);
/* The programs whose statistics --cost asked for, own CPU time, bytes of tables. */
void session_cost(struct session *s, struct buf *out);
/* How much the programs took of all CPUs' time when the budget was exceeded. */
double session_budget_used(const struct session *s);

/* Stacks that its programs met: for knames_stacks(). NULL: they take none. */
struct stacks *session_stacks(const struct session *s);

/* The wait status of the command, when SESSION_COMMAND was returned. */
int session_command_status(const struct session *s);
/* CLOCK_REALTIME - CLOCK_MONOTONIC, at the begin. */
int64_t session_wall_offset_ns(const struct session *s);

/* Ends a command that still runs, frees all. NULL is fine. */
void session_close(struct session *s);

#endif
