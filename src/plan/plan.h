/*
 * plan: what is to be observed and what is made of it, free of names and of
 * text, the same for both executors.
 *
 * Built by plan/build*.c from the syntax and the catalog; bpf/ turns it into
 * programs and tables; kern/ or replay/ runs them.
 *
 *	event    where a program is attached; one program
 *	action   what that program does, in order: ends, rows, begins
 *	period   begins and their ends: where begins are kept and what is kept of them
 *	branch   one kind of rows on its way through a query's row stages
 *	query    columns, keys, aggregations, table stages
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/diag.h"
#include "base/vec.h"
#include "plan/agg.h"
#include "plan/expr.h"
#include "table/stage.h"


/* A number that the programs count per CPU and the run shows. */
struct p_counter {
	enum loss_id id;
	const char *what;		/* "begins of X that found the table full (--max-open)" */
	bool always;			/* see struct loss */
	bool of_before;			/* UNMATCHED: all of them began before the start */
	struct loc loc;
};

/* ---- attach points ---- */

enum attach {
	ATTACH_TP_BTF,			/* BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, cat->btf_id */
	ATTACH_TP_PERF,			/* BPF_PROG_TYPE_TRACEPOINT, cat->perf_id */
	ATTACH_SAMPLE,			/* BPF_PROG_TYPE_PERF_EVENT on each CPU */
	ATTACH_TIMER,			/* the same on one CPU, every interval_ns */
	ATTACH_RECORD,			/* replay: an event class */
	ATTACH_OPEN,			/* nowhere: runs in this process over the begins that
					 * are open, for `open` */
	/* Functions: cat->kind says which end. Of p_event.functions FENTRY and KPROBE
	 * programs without a cookie have one. */
	ATTACH_FENTRY,			/* BPF_TRACE_FENTRY or _FEXIT, one function */
	ATTACH_KPROBE,			/* perf event for each function, number as cookie */
	ATTACH_KPROBE_MULTI,		/* one link, numbers as cookies */
	ATTACH_KPROBE_SESSION,		/* the same; one program for both ends: at_return */
	ATTACH_UPROBE,
	ATTACH_UPROBE_MULTI,
	ATTACH_UPROBE_SESSION
};

static inline bool attach_is_session(uint8_t attach)
{
	return attach == ATTACH_KPROBE_SESSION || attach == ATTACH_UPROBE_SESSION;
}

/* Functions whose program may be preempted, or run for several threads of one CPU. */
static inline bool attach_is_function(uint8_t attach)
{
	return attach >= ATTACH_FENTRY;
}

static inline bool attach_is_user(uint8_t attach)
{
	return attach >= ATTACH_UPROBE;
}

/* One function that a program is attached to, and its value of `event`. */
struct p_function {
	const struct cat_function *function;
	int number;
};

struct p_sample {
	uint32_t perf_type;		/* PERF_TYPE_* */
	uint64_t perf_config;
	bool freq;			/* value is Hz, else a period in events */
	uint64_t value;
};

/* Which system calls an action is for: a bit a number. */
struct p_calls {
	uint64_t bits[SYSCALL_MOST / 64];
	int n;
};

enum act_kind { ACT_MOVE, ACT_END, ACT_ROW, ACT_VIA, ACT_STATE, ACT_EXIT, ACT_BEGIN, ACT_OPEN };
#define ACT_KINDS (ACT_BEGIN + 1)

enum state_when {
	STATE_SWITCHED,
	STATE_WOKEN,			/* only of a thread that does not run */
	STATE_LOCK_BEGINS,		/* the outermost lock: no other change before its end but
					 * between spinning and not */
	STATE_LOCK_ENDS,
	STATE_INTERRUPTED,		/* something runs on top of what the thread is in */
	STATE_GOES_ON			/* which it was in before that */
};

struct p_action {
	uint8_t kind;			/* enum act_kind */
	bool at_return;			/* in a program for both ends of a function */
	const struct p_calls *calls;	/* NULL: whatever happens here */
	struct px *guard;		/* where of the end, owner filters; NULL: always */
	bool left_out_ends;		/* BEGIN of a system call: where the guard is false, too, what its
					 * thread has open is over */
	struct px *record_guard;	/* END, VIA: the rest of its where, over the record that was
					 * found (PX_SLOT); false: the period stays open. NULL: none */
	struct loc loc;			/* the query text it stands for */

	/* BEGIN, VIA, END; EXIT, MOVE: of the thread whose key this is; OPEN */
	struct p_period *period;
	struct px **keys;		/* STORE_HASH: period->n_keys of them; EXIT, MOVE, STATE: one */
	struct p_look **looks;		/* BEGIN of a part: its rows, by period->tickets */
	struct px *state;		/* STATE: of the thread whose key this is; none: no change */
	uint8_t when;			/* STATE: enum state_when */
	struct px *lock;		/* STATE: the address of the lock that the thread waits for */
	struct px *thread;		/* BEGIN, by_thread: the thread's number; MOVE: its new one */
	struct px *task;		/* STORE_TASK: whose storage: current task or an argument */
	struct px *denied;		/* END of a system call: it never began; or NULL */
	bool alone;			/* END of a system call: a row though no begin was seen, */
	struct px *alone_guard;		/* of those that the options select; NULL: of all */
	struct px *too_deep;		/* BEGIN of a call: the kernel will not show its return; or NULL */
	/* BEGIN, VIA: what is kept, by period->slots; NULL element: none here */
	struct px **slots;
	/* END, ROW, OPEN: each runs for the row */
	VEC(struct p_branch *) branches;
};

struct p_event {
	int id;
	uint8_t attach;			/* enum attach */
	const struct cat_event *cat;
	const char *name;		/* "sched:sched_switch", "cpu@99hz" */
	const char *why;		/* why this attach, for explain; or NULL */
	struct p_sample sample;
	uint64_t interval_ns;		/* TIMER */
	VEC(struct p_function) functions;	/* of a function: at least one */
	VEC(struct p_action) actions;	/* by enum act_kind */
	struct loc loc;
};

/* ---- periods ---- */

enum store {
	STORE_TASK,			/* task storage: the begin is in the thread itself */
	STORE_HASH,			/* a table by key */
	STORE_CPU,			/* the key is the CPU: a per-CPU array of one record,
					 * closed when its begin_ns is 0 */
	STORE_COOKIE,			/* a function's call where the kernel hands 8 bytes from its
					 * entry to its return (session): the begin's time */
	STORE_CALLS,			/* task storage with the last open calls of the thread,
					 * each known by its frame (PX_FRAME) */
	STORE_ELIDED			/* a call of which nothing of the begin is needed:
					 * its end alone makes the row; no BEGIN action */
};

/*
 * What a row's duration was made of. The sums are slots of the row's record, which is in a
 * table that every context can reach: time and count of each part, one behind the other.
 * Parts on the row's own thread are a stack, whose top has the time; another part is
 * asynchronous, and runs while one instance of it is open.
 */
struct p_part {
	const char *name;
	bool on_thread;
	int c_cut;			/* it was open at a row's end, on the thread as the innermost */
};

struct p_split {
	int n_parts;
	struct p_part *parts;
	int n_own;			/* of these; behind them are the thread's states, which split
					 * the whole duration a second time */
	int first;			/* slot: time and count of the first part, ... */
	int generation;			/* slot: which row it is, not 0 */
	int depth, stack;		/* slots: how deep, and the parts + 1 as bytes */
	int n_tickets, numbers;		/* slot: the numbers of the stack's tickets as bytes, where a part
					 * has several; -1 */
	int state;			/* slot: the part + 1 of the state */
	int locks;			/* the parts from here on: it waits for a lock, and spins; n_parts
					 * where locks are not told */
	int lock;			/* slot: the lock's address; -1 */
	int interrupts;			/* the parts from here on: what runs on top of it; n_parts */
	int under;			/* slot: what it was in then + 1, a byte each; -1 */
	int covered;			/* slot: the time in which any part was open; -1: that
					 * is the sum of them all */
	int other, overlap;		/* slots; -1: they are always 0 */
	int global;			/* the last generation */
	int c_deep;
};
#define PARTS_MOST 16
#define PART_STACK 16

/* A part's begin: credited to the row that is open on its thread. In the record of the
 * begin, at off: the row's generation and key. */
struct p_ticket {
	const struct p_period *row;
	int part;
	uint8_t number;			/* among the row's, not 0 */
	int cond_slot;			/* of the begin: only if it is not 0; -1: always */
	uint32_t off;
};

/* A way to the period that is open at some event, on its thread or for a key. */
struct p_look {
	const struct p_period *period;
	struct px **keys;		/* the period's key, STORE_HASH and STORE_CPU; by_thread: the
					 * thread's number alone */
	struct px *task;		/* STORE_TASK */
	bool by_key;			/* `on` was given: not by the thread */
};

struct p_slot {
	struct type type;
	bool may_none;
	bool of_via;			/* none until a via happens; the last one counts */
	bool unread;			/* nothing reads it: it is not kept */
	bool whole;			/* a text of the kernel's that is always there, and ended: comm */
	uint32_t off;			/* layout: bytes from the begin of the record */
};

struct p_period {
	int id;
	const char *name;		/* for messages: the text, shortened */
	uint8_t store;			/* enum store */
	uint8_t keep;			/* enum keep */
	bool is_call;
	bool may_lack_begin;		/* its ends make rows of calls whose begin was not seen, too:
					 * what is of the begin may be none */
	bool many_calls;		/* of a trace, which may lose an end: the call's number is kept, */
	uint32_t number_off;		/* layout: here */
	bool looked_up;			/* by p_looks: its begins are needed */
	/* Keyed, but looked up by the thread of the begin: a table has each thread's latest
	 * key, and the record, behind the slots, the thread and the key before that. */
	bool by_thread;
	int rank;			/* at one event a lower one ends first and begins last:
					 * what is inside another */
	struct p_split *split;		/* or NULL */
	VEC(struct p_ticket) tickets;	/* it is a part of these rows */
	bool listable;			/* by `open`: all that are open must be found */
	bool needs_time;		/* duration or begin.time is used */
	bool exclusive;			/* all its events are */
	int n_keys;
	struct type *key_types;		/* words, or strings padded with zeros */
	VEC(struct p_slot) slots;
	bool slot_mask;			/* some slot may be none: a u64 of valid bits is kept */
	/* layout, by plan_layout */
	uint32_t key_bytes, record_bytes;
	uint32_t mask_off;
	/* by_thread: thread, 0 or 1 + how many were open before the one before (needs_depth), that
	 * one's key; unless they are calls, which nest, 0 or 1 and the key of the one behind. */
	uint32_t thread_off;
	int calls_kept;			/* STORE_CALLS: open ones of a thread, a power of two */
	/* -1 when not counted (begins have conditions: an end alone is no anomaly) */
	int c_dropped, c_unmatched, c_restarted, c_abandoned, c_too_deep, c_let_go, c_denied;
	bool needs_depth;		/* `depth` is used; in a table it is by_thread */
	bool in_flight;			/* in_flight(KEY) is asked of its begin: */
	int flight_slot, flight_key;	/* slots: what it is, and KEY */
	const struct p_query *tree;	/* `tree`: its calls nest in this query's rows; or NULL */
	int tree_slot;			/* of them that were open on the thread at the begin */
	bool many_functions;		/* it is the calls of several */
	struct loc loc;
	const char *why;		/* why this store, for explain */
};

/* ---- queries ---- */

enum step_kind { STEP_WHERE, STEP_LET, STEP_SAMPLE, STEP_FIRST };

struct p_step {
	uint8_t kind;			/* enum step_kind */
	struct px *expr;		/* WHERE, LET; SAMPLE: the key, NULL: every Nth row */
	int let;			/* LET */
	uint64_t n;			/* SAMPLE, FIRST */
	int global;			/* SAMPLE without key, FIRST: number of its u64 in the
					 * shared table `globals` */
	struct loc loc;
};

/*
 * Rows of one kind on their way. All branches of a query have the same
 * columns, keys and aggregations; the expressions are bound to this branch's
 * events. In a period's branch PX_FIELD and PX_COMMON are the end's,
 * PX_SLOT, PX_BEGIN_TIME the begin's.
 */
struct p_branch {
	struct p_query *query;
	struct p_period *period;	/* NULL: rows of an event */
	bool event_is_syscall;
	bool event_is_cookie;		/* functions: the number is the link's cookie */
	VEC(struct p_step) steps;
	int n_lets;
	struct px **columns;		/* SINK_PRINT, SINK_WORST: query->n_columns */
	struct px *rank;		/* SINK_WORST: the rows with the largest are kept */
	struct px **keys;		/* SINK_AGGS: of all keys */
	struct px ***agg_args;		/* per aggregation its arguments */
	struct px **agg_where;		/* per aggregation, or NULL */
};

enum sink_kind { SINK_PRINT, SINK_AGGS, SINK_WORST };

#define WORST_MOST 64			/* rows of `worst` */

struct p_query {
	int index;			/* of plan->queries: results go to the view with it */
	uint8_t sink;			/* enum sink_kind */
	struct loc loc;
	VEC(struct p_branch *) branches;
	/* Its rows are the periods that are open when an interval or the run ends: a
	 * table, made in this process. Prints, too. */
	bool open;
	bool exclusive;			/* all its events are: plain adds are exact */

	/* SINK_PRINT, SINK_WORST */
	int n_columns;			/* of a row */
	struct column *columns;
	const char *format;		/* or NULL */
	bool tree;			/* the rows are put in order by table/tree.h */
	int tree_levels;		/* of them the outermost; 0: all */
	uint64_t limit_per_s;		/* 0: none */
	int g_limit;			/* two u64 in globals: second, rows in it */
	int c_lost, c_kept_back;

	/* SINK_WORST */
	int worst_n;
	bool worst_signed;		/* ranks are compared as signed numbers */

	/* SINK_AGGS */
	int n_keys;
	int n_hidden;			/* keys behind them that are not shown: see `over` */
	struct column *keys;		/* n_keys + n_hidden */
	int n_aggs;
	struct p_agg *aggs;
	int n_bucket_sets;
	int c_dropped;			/* SINK_WORST, too */
	int c_no_bucket;		/* values whose bucket found its table full */
	uint64_t table_rows;		/* most rows: --table-size */
	/* The rows are 0 .. dense - 1 of one small integer key: an array. 0: a hash. */
	uint32_t dense;

	/* both */
	int c_cut, c_absent, c_div_zero;	/* strings cut, user pages absent, x / 0 */
	uint64_t first_n;		/* `first N`: the run ends after so many rows; 0: none */
	int g_first;

	/* what follows the sink */
	VEC(struct tstage) stages;
	int n_delta_slots;
	uint64_t every_ns;		/* 0: once, at the end */
	bool every_keep;
	int n_out;			/* columns after the stages */
	struct column *out;

	/* A table join: parts are aggregating queries of their own whose results are
	 * not shown; this one has no branches. */
	VEC(struct p_query *) parts;
	bool is_part;
	const char *part_name;

	/* `in SOURCE over TIME`: the periods that took so long, by begin and thread, as the hidden
	 * keys are. Only rows of these are shown. NULL: there is no such stage. */
	struct p_query *over;

	VEC(const char *) nones;	/* "fd is none in openat": what some sources lack */
};

/* Has each interval rows of its own? One table is filled while the other is shown. */
static inline bool p_query_begins_anew(const struct p_query *q)
{
	return q->every_ns && !q->every_keep && !q->open;
}

static inline int p_query_all_keys(const struct p_query *q)
{
	return q->n_keys + q->n_hidden;
}

/* Is the result a table, shown when an interval or the run ends? */
static inline bool p_query_is_table(const struct p_query *q)
{
	return q->sink != SINK_PRINT || q->open;
}

/* Fills one of its aggregations buckets? */
bool p_query_has_buckets(const struct p_query *q);

/* Rows of a table, and begins that are kept in one, unless options say how many. */
#define PLAN_ROWS 10240

/* Words of a record of such a call, behind those of the call itself; none if not known. */
enum { BEFORE_PPID = 8, BEFORE_STARTED, BEFORE_PROCESS_STARTED };

struct plan {
	struct arena *arena;
	const struct catalog *catalog;	/* where structs' members are, for what walks them */
	VEC(struct p_event *) events;
	VEC(struct p_event *) opens;	/* ATTACH_OPEN: for each kind of rows of `open` */
	VEC(struct p_event *) befores;	/* ATTACH_RECORD: their begins once more, over what is told of
					 * calls from before the start: in this process, too */
	VEC(struct p_period *) periods;
	VEC(struct p_query *) queries;	/* all, parts too */
	VEC(struct p_counter) counters;
	bool stacks;			/* some event's stack is taken */
	bool user_stacks;		/* a program's among them */
	bool user_names;		/* addresses of programs are shown, in stacks or alone */
	bool wakers;			/* chains of wake-ups among them */
	bool hogs;			/* who had a CPU longest: hog() */
	int c_stack_full, c_stack_deep, c_stack_failed, c_stack_short, c_stack_unread;	/* of those; -1 */
	int c_unfollowed;		/* tasks of -- COMMAND that could not be marked; -1 */
	int n_globals;			/* u64 words shared by all CPUs, zero at first */
	bool watches;			/* ends alone are asked for, live: */
	int g_watching;			/* in globals, not 0 while all begins are attached: an end alone had
					 * its begin before */
	/* What began before the start and no event tells of: the calls that periods are of, and
	 * whether one begins where a thread leaves a CPU. */
	struct p_calls before_calls;
	bool before_waits;
	struct enum_desc *event_names;	/* of TY_EVENT: 0..511 system calls, then sources */
	uint32_t n_event_numbers;	/* dense bound of TY_EVENT */
	uint64_t max_open;		/* periods open at once, a table */
};

/* What the machine's kernel has; kern/feature.def probes, replay has all. */
struct plan_features {
	bool tp_btf;			/* BTF tracepoints */
	bool task_storage;		/* bpf_task_storage_get in tracing programs (5.11) */
	bool tracefs;			/* perf form of tracepoints can be attached */
	bool replay;			/* decoded events: LOC_RECORD */
	bool no_percpu_hash;		/* forced off: tables by key are shared */
	bool unwind;			/* programs' stacks by tables: base/unwind.h */
};

/* The options that shape the plan: cli.md. */
/* Of every, -i and a timer: below it the work of an interval's end is most of the work. */
#define INTERVAL_LEAST_NS 1000000

#define PLAN_TICK_NS 10000000u
#define PLAN_NESTED_MOST 2		/* PID namespaces inside of culprit's whose tasks have a number in its own */

struct plan_options {
	struct plan_features has;
	const int64_t *pids; int n_pids;	/* numbers in culprit's own PID namespace */
	const int64_t *tids; int n_tids;
	/* When each began (CLOCK_BOOTTIME), to PLAN_TICK_NS: the number of one that ended is
	 * given again. 0, NULL: not known. */
	const uint64_t *pids_began_ns, *tids_began_ns;
	bool pid_namespaced;		/* not the initial one: compare namespace numbers */
	uint64_t pid_ns_dev, pid_ns_inode;	/* which, then */
	int nested;			/* and how many PID namespaces inside of it `pids` and `tids` are at most */
	const char *comm_glob;		/* or NULL */
	int64_t uid;			/* -1: any */
	uint64_t cgroup_id;		/* 0: any */
	int cgroup_level;
	const int *cpus; int n_cpus;
	int64_t self_pid;		/* its own events are left out; 0: not */
	/* -- COMMAND: only its tasks, marked in the task storage `followed`, which a
	 * program on sched_process_fork hands down (bpf/cg_follow.c). */
	bool follow;
	bool children;			/* and what the processes `pids` start: marked in the same way */
	uint64_t table_rows, max_open;	/* 0: PLAN_ROWS */
	int64_t interval_ns;		/* -i: replaces every; 0: not given */
	bool timestamp;
	bool quote;			/* lists of arguments with quotes where a shell needs them, as quote() */
	uint32_t cpus_possible;
	bool as_emitted;		/* programs without the peephole: tests compare both */
};

/* Offsets and sizes of records, rows and bucket sets. */
void plan_layout(struct plan *p);
/* Of one period: its store, slots, keys and tickets are decided. */
void plan_layout_period(struct p_period *p);
/* How many values of the begin are kept. */
int plan_n_kept(const struct p_period *p);
void plan_print(const struct plan *p, struct buf *out);	/* explain -dp */

#endif
