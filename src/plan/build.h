/*
 * build: the plan in the making. Its passes are those of passes.h; the first, over each query (build.c), is
 * made of, from below:
 *
 *	build_event.h	events and what is to happen at them
 *	build_period.h	begins and ends that belong together
 *	build_scope.h	what names mean there, and what is kept of a begin
 *	build_source.h	the kinds of rows that the text of a query's sources makes
 *	build_store.h	where begins are kept, which is decided when all uses are known
 *	build_sink.h	tables and rows to print
 *	build_stage.h	stages, and queries, which are in queries
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

/* ---- a period's actions: begins, then ends, then vias ---- */

static inline int build_n_actions(const struct b_period *p)
{
	return p->begins.n + p->ends.n + p->vias.n;
}

static inline struct b_action *build_action_at(struct b_period *p, int i)
{
	if (i < p->begins.n)
		return &p->begins.v[i];
	i -= p->begins.n;
	return i < p->ends.n ? &p->ends.v[i] : &p->vias.v[i - p->ends.n];
}

#endif
