/*
 * build: what the files of the plan's builder share. Its passes are those of passes.h.
 *
 * The first, over each query: build_source.c finds what each source names, build_period.c makes
 * periods of begins and ends, build_query.c checks stages and build_sink.c sinks branch by
 * branch, build_table.c what follows the sink. The others decide what can only be decided when
 * all uses are known; each has a file of its name.
 */
#ifndef PLAN_BUILD_H
#define PLAN_BUILD_H

#include "base/map.h"
#include "plan/check.h"
#include "plan/passes.h"
#include "plan/plan.h"
#include "plan/source.h"

/* A b_X is a p_X of the plan in the making: `plan`, and what is known of it only here. */

/* An event and what is to happen at it. */
struct b_event {
	struct p_event *plan;
	struct b_event *next;		/* of the same event of the catalog, asked for otherwise */
	struct form_use form;
	/* by enum act_kind; behind them ends of what the begins here ask for */
	VEC(struct p_action *) actions[ACT_KINDS + 1];
};

/* One alternative of a begin, a via or an end, or a row's event: with system calls those alike
 * in the parameters that the program names. */
struct b_action {
	struct p_action *plan;			/* NULL: nothing was asked of it */
	struct b_event *event;
	struct source_match *match;
	struct side side;
	const struct p_calls *calls;		/* NULL: no system call, or all of them */
	struct ax *where;			/* pruned; NULL: none */
	ax_list on;
	bool is_via;
	struct loc loc;
	bool at_return;				/* of a program for both ends of functions */
	struct b_period *call;			/* of a program's function's return alone: what it returns from */
};

/* A term of `where` that the begin can tell, and how many branches have it. */
struct early {
	const struct ax *term;
	int n_branches;
};

/* What was asked of the begins (or vias), as it reads there, and the slot that answers. */
struct kept {
	const struct ax *asked;
	bool of_via;
	int slot;
};

/* Where a period is looked up at an event. */
struct reader {
	struct b_action *at;
	struct p_look *look;
};

/* Stages that are asked at the begin, and the slot that says whether they held. */
struct begin_cond {
	const struct ast_stage *first;
	int n, slot;
};

struct b_period {
	struct p_period *plan;
	const void *of;				/* the span or the call's source */
	bool same_thread;
	bool outlives;				/* its ends are behind the begins of others */
	bool reads_again;			/* the call's parameters can be read at its return */
	VEC(struct b_action) begins, ends, vias;
	VEC(struct kept) kept;
	VEC(struct reader) readers;
	VEC(struct begin_cond) conds;
	const struct ast_stage *split_stage;
	int n_branches;				/* kinds of rows made of it, in all queries */
	VEC(struct early) early;
	struct px ***slots;			/* [slot][begin, then via]; NULL: not kept there */
};

#define HIDDEN_KEYS 2

/* One kind of rows that a query's sources make. */
struct b_branch {
	struct p_branch *plan;
	struct b_period *period;		/* NULL: rows of an event */
	struct b_action *end;			/* the event, or the end that makes the row */
	ast_stages stages;			/* of definitions and groups around it */
	struct scope scope;
	bool open;				/* rows of those that have not ended */
	struct px *hidden[HIDDEN_KEYS];		/* `in .. over`: of the period: its begin, its thread */
};
typedef VEC(struct b_branch *) b_branches;

struct build {
	struct check_env *env;
	struct arena *arena;
	struct diag *diag;
	const struct plan_options *options;
	const struct ast *ast;
	struct plan *plan;
	struct source_env source_env;
	struct map defs;			/* name -> struct ast_def */
	struct map names;			/* every name the program uses */
	struct map parsed_params;		/* name -> what its text is parsed to */
	VEC(struct b_event *) events;
	VEC(struct b_period *) periods;
	VEC(struct b_action *) rows;		/* events that are rows themselves */
	VEC(const struct ast_def *) open_defs;	/* being expanded */
	VEC(const struct ast_stage *) open_ins;	/* `in` stages being built */
	VEC(struct enum_value) names_of_events;	/* of TY_EVENT */
	struct map events_of;			/* an event of the catalog -> its last b_event */
	struct map event_numbers;		/* name -> its struct enum_value */
	int n_sources;				/* named so far, each time they are */
	struct map lookups;			/* written source -> its struct lookup */
};

/* build_source.c */
void build_branches(struct build *b, const struct ast_sources *s, b_branches *out);
const char *build_name_list(struct build *b, const char *names, const char *name);
void build_source_branches(struct build *b, struct ast_source *s, b_branches *out);
/* Goes the `else` chain on behind s, because something that s is made of is not there? */
bool build_skips(struct build *b, const struct ast_source *s);
/* Is the event or call there? Says nothing when it is not. */
bool build_finds(struct build *b, const struct ast_source *s);
/* The definition whose name s is, or NULL. */
const struct ast_def *build_def_of(const struct build *b, const struct ast_source *s);
/* Is the one function that m names the action's, under another name? */
bool build_is_another_name(const struct b_action *e, const struct source_match *m);
/* The events (and ends of calls) that one end of a span names. */
void build_end_matches(struct build *b, const struct ast_source *s, source_matches *out);
/* Adds an action for each class of calls (or one) of a match. */
void build_action(struct build *b, struct source_match *m, struct b_action proto,
		  struct b_period *to_begin, struct b_period *to_end, struct b_action **rows);
/* Are these all system calls there are? */
bool build_is_every_call(struct build *b, const struct p_calls *set);
/* Has each of the match's calls a parameter of this name? */
bool build_calls_have(const struct source_match *m, struct str name);
struct b_event *build_event(struct build *b, const struct source_match *m);
/* An action where it belongs; proto has its match, event and side. */
struct b_action *build_add_action(struct build *b, struct b_action proto,
				  struct b_period *to_begin, struct b_period *to_end);
/* How many actions a match can make. */
int build_actions_most(const struct source_match *m);
int build_event_number(struct build *b, const char *short_name);

/* build_period.c */
struct b_period *build_span(struct build *b, const struct ast_span *s);
/* asked: by begins at its returns, so that it ends behind them. */
struct b_period *build_call(struct build *b, const void *of, struct source_match *m, bool asked);
struct scope build_event_scope(struct build *b, struct b_action *e);
/* begin.X and via.X as X where that side is; begin.current.X is current.X. */
struct ax *build_at_begin(struct build *b, const struct ax *e);

/* Begins, then ends, then vias. */
int build_n_actions(const struct b_period *p);
struct b_action *build_action_at(struct b_period *p, int i);
/* Does it end on its thread: without a key, or with the thread's number as the key of each end? */
bool build_is_of_thread(struct build *b, struct b_period *p);

/* build_keep.c */
struct scope build_period_scope(struct build *b, struct b_period *p, struct b_action *end);
/* Of one that has not ended. */
struct scope build_open_scope(struct build *b, struct b_period *p);
/* The slot of an expression as it reads at the begins. */
int build_keep_slot(struct build *b, struct b_period *p, const struct ax *own);
/* A slot of the record; values: [begin, then via]. Returns its number: that of another with
 * equal values, if there is one. */
int build_slot(struct build *b, struct b_period *p, struct p_slot slot, struct px **values);

/* build_keys.c */
/* The where of an end in three: keys, what needs the record, the rest. */
struct split_where {
	ax_list end_keys, begin_keys;
	struct ax *record, *rest;
};
struct split_where build_split_where(struct build *b, struct ax *where, bool keys_here);
bool build_has_via(const struct ax *e);		/* does it say via.X? */
/* x && y; one of them may be NULL. */
struct ax *build_and(struct build *b, struct ax *x, struct ax *y);
void build_check_keys(struct build *b, struct b_period *p, struct b_action *e, const ax_list *on,
		      bool is_begin);
/* Of a period without keys: is an event of it about another thread than it runs in? */
void build_warn_others(struct build *b, struct b_period *p);

bool build_is_sink(struct build *b, const struct ast_stage *st);	/* build_query.c */

/* build_asks.c: what only debug information tells of functions? */
bool build_asks_params(struct build *b);

/* build_param.c */
/* A source that is a parameter without a value: told as a mistake where it is needed. */
bool build_param_is_unset(struct build *b, const struct ast_source *s);
/* What `$main` stands for as a source; NULL: it is no such parameter. A mistake is told once. */
struct ast_sources *build_param_sources(struct build *b, const struct ast_source *s);
/* The stage itself, or what `split $parts` stands for. */
const struct ast_stage *build_param_parts(struct build *b, const struct ast_stage *st);

/* build_func.c: the same for functions */
void build_func_action(struct build *b, struct source_match *m, struct b_action proto,
		       struct b_period *to_begin, struct b_period *to_end, struct b_action **rows);
void build_func_call(struct build *b, struct b_period *p, struct source_match *m);
/* Does the return as an event need what only the entry knows? */
bool build_func_return_needs_entry(const struct build *b, const struct source_match *m);
/* Lets the scope of a return, as an end of a span, know what only the entry does. */
void build_func_entry(struct build *b, struct b_action *e, struct scope *s);
/* A parameter of one of the calls, also of system calls, that the period is for. */
bool build_is_param(const struct b_period *p, struct str name);
/* Is what is open asked for, by `in`, `open` or `split`? */
bool build_is_asked(const struct b_period *p);
bool build_func_store(struct build *b, struct b_period *p);
/* A fork inside of a program's function copies the open call: its return fires in the child, too. */
bool build_returns_in_child(const struct build *b, const struct b_period *p);
/* What is a return alone is of calls that its own thread entered. */
void build_func_returns(struct build *b);
/* Does a period's end pass the filters exactly if its begin does? A thread may get another name,
 * user, cgroup, CPU, and by an exec of another than the first another number: the begin's counts. */
bool build_end_tells_begin(const struct plan_options *o);
/* Can returns be missed without a word of the kernel? Then the entries show it. */
bool build_misses_returns(const struct build *b, const struct source_match *m);
/* Storage is made by the allocator: a program that runs inside of it can't. */
bool build_watches_allocator(const struct b_period *p);
/* Begins of calls whose returns the kernel will not show are counted instead. */
void build_too_deep(struct build *b, struct b_period *p);
/* A program for both ends that has only one to do. */
void build_func_finish(struct build *b, struct p_event *e);

/* build_over.c: `in SOURCE over TIME` */
int64_t build_over_ns(struct build *b, const struct ast_stage *st);	/* 0: not asked */
struct ax *build_over_thread(struct build *b);
void build_over(struct build *b, struct p_query *q, const struct ast_stage *st, int64_t ns);
void build_hidden_keys(struct p_query *q, const b_branches *all);
void build_over_sink(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *sink);

/* build_query.c */
struct p_query *build_query(struct build *b, const struct ast_query *q, bool is_part);
typedef bool build_test(const struct px *e, void *arg);
/* Is there an expression in the branch for which test is true? */
bool build_branch_any(const struct p_branch *br, build_test *test, void *arg);
struct p_step *build_step(struct build *b, struct p_branch *br, enum step_kind kind,
			  struct loc loc);
/* where and in, for a branch that is no query's */
void build_row_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);
/* The number behind a stage's word: above 0, or that is said. */
int64_t build_stage_number(struct build *b, const struct ast_stage *st);

/* build_stage.c */
/* Is one of the stages before the sink `open`? Then each period makes one kind of
 * rows, whatever its ends. */
void build_open_branches(struct build *b, struct p_query *q, b_branches *all, const ast_stages *stages,
		     int sink);
void build_open_row(struct build *b, struct b_branch *w);
void build_open_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);
/* Where the period is looked up by the thread of an event. */
struct p_look *build_look(struct build *b, struct b_period *p, struct b_action *at);
/* build_split.c */
void build_split_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);
/* The texts of all columns of the parts, a comma behind each; "" without a split. */
void build_split_columns(const struct b_branch *w, struct buf *out);
/* The counters of periods' splits. */
void build_split_count(struct build *b);
/* One more slot of the row. */
int build_split_slot(struct build *b, struct b_period *row, struct type type);
/* build_state.c: how many states a thread can be seen in, and where they change. */
int build_count_states(struct build *b);
void build_states(struct build *b, struct b_period *row, struct loc loc);

/* build_stage.c */
/* in SOURCE: a step of the branch, and a name whose members are the begin's. */
void build_in_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);
/* What its columns and fields are called by. */
struct str build_source_name(const struct ast_source *s);
/* The slot that says whether a branch's stages held at its period's begin; -1: none. */
int build_begin_cond(struct build *b, struct b_branch *w);
/* Is the row itself one of these periods? *own NULL: no row is. False: it can't be said, and
 * was reported. build_own.c */
bool build_own(struct build *b, const struct b_branch *row, const struct b_period *p, struct loc loc,
	       struct px **own);
/* A function at which both of them begin or end, by two programs whose order is the kernel's; or NULL. */
const struct cat_function *build_shared_function(struct b_period *x, struct b_period *y);
/* The thread's number as a key: the idle thread's is 0 on every CPU. */
struct px *build_thread_key(struct build *b, struct b_action *e);
/* What finds a keyed period by the thread of its begin. */
void build_latest_by_thread(struct build *b, struct b_period *p);
/* Begins that are found by their thread's number go with the thread. */
void build_exit(struct build *b, struct b_period *p);
/* And where one gets another number: by an exec that not the first of its process makes. */
void build_move(struct build *b, struct b_period *p);

/* build_sink.c; st NULL: a query without a sink prints the usual columns */
void build_print(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
void build_worst(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
void build_aggs(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
void build_unknown_aggregation(struct build *b, const struct ast_agg *st);
/* The format of a print and the columns that go into it. */
void build_check_format(struct build *b, const struct ast_stage *st, struct p_query *q);
/* Merges the type of one branch's expression into the column's. */
void build_unify(struct build *b, struct type *t, const struct px *e, bool first);
const char *build_column_name(struct build *b, struct str given, const struct ax *e);

/* build_tree.c */
void build_tree(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
/* Can each of them count what is open on its thread? */
void build_tree_check(struct build *b, struct b_period *p);

/* build_table.c */
void build_table_stages(struct build *b, struct p_query *q, const ast_stages *stages, int from);
void build_join(struct build *b, struct p_query *q, const struct ast_query *ast);

/* build_early.c */
void build_early_where(struct build *b, struct b_branch *w, const struct ax *where);

/* build_collect.c */
/* The names that `event` is compared with: those of all sources so far. */
void build_name_events(struct build *b);

/* build_before.c */
void build_before(struct build *b);

/* build_empty.c */
/* Warns of two conditions so far that no row meets together. */
void build_warn_empty(struct build *b, const struct p_branch *branch);

/* build_filter.c */
/* A text of our own, checked where the action is; quiet: NULL after a mistake. */
struct px *build_text(struct build *b, struct b_action *e, bool quiet, const char *text);

#endif
