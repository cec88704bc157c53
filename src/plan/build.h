/*
 * build: from the syntax to the plan.
 *
 * plan_build walks the queries: build_source.c finds what each source names,
 * build_period.c pairs begins with ends, build_query.c checks stages and
 * build_sink.c sinks branch by branch, build_table.c what follows the sink; build_finish.c then
 * decides what can only be decided when all uses are known: the form of each
 * attach point, where begins are kept; build_filter.c adds the command line's filters.
 */
#ifndef PLAN_BUILD_H
#define PLAN_BUILD_H

#include "base/map.h"
#include "plan/check.h"
#include "plan/plan.h"
#include "plan/source.h"

/* The plan of the program, or NULL after mistakes (all in env->diag). */
struct plan *plan_build(struct check_env *env, const struct ast *ast);

/* ---- what the files of the builder share ---- */

/* An attach point and what is to happen there. */
struct point {
	struct p_event *event;
	struct form_use form;
	VEC(struct p_action *) actions[3];	/* by enum act_kind */
};

/* One alternative of a begin or an end: an event, or system calls alike in the
 * parameters that the program uses. */
struct endpoint {
	struct source_match *match;
	struct point *point;
	struct side side;
	const struct p_calls *calls;		/* NULL: no system call, or all of them */
	struct ax *where;			/* pruned; NULL: none */
	ax_list on;
	struct loc loc;
	bool at_return;				/* of a program for both ends of functions */
	struct p_action *action;
};

/* A term of `where` that the begin can tell, and how many ways have it. */
struct early {
	const struct ax *term;
	int n_ways;
};

struct kept {
	struct str text;
	int slot;
};

struct pairing {
	const void *of;				/* the span or the call's source */
	struct p_period *period;
	bool same_thread;
	bool reads_again;			/* the call's parameters can be read at its return */
	VEC(struct endpoint) begins, ends;
	VEC(struct kept) kept;
	struct px ***slots;			/* [slot][begin] */
	int n_ways;				/* kinds of rows made of it, in all queries */
	VEC(struct early) early;
};

/* One kind of rows that a query's sources make. */
struct way {
	struct pairing *pairing;		/* NULL: rows of an event */
	struct endpoint *end;			/* the event, or the end that makes the row */
	ast_stages stages;			/* of definitions and groups around it */
	struct scope scope;
	struct p_branch *branch;
};
typedef VEC(struct way *) ways;

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
	VEC(struct point *) points;
	VEC(struct pairing *) pairings;
	VEC(struct endpoint *) lone;		/* events that are rows themselves */
	VEC(const struct ast_def *) open_defs;	/* being expanded */
	VEC(struct enum_value) events;		/* names of TY_EVENT */
	struct map event_numbers;		/* name -> its struct enum_value */
	int n_sources;				/* named so far, each time they are */
};

/* build_source.c */
void build_ways(struct build *b, const struct ast_sources *s, ways *out);
/* The events (and ends of calls) that one end of a span names. */
void build_end_matches(struct build *b, const struct ast_source *s, source_matches *out);
/* Adds an endpoint for each class of calls (or one) of a match. */
void build_endpoint(struct build *b, struct source_match *m, struct endpoint proto,
		    struct pairing *to_begin, struct pairing *to_end, struct endpoint **lone);
/* Has each of the match's calls a parameter of this name? */
bool build_calls_have(const struct source_match *m, struct str name);
struct point *build_point(struct build *b, const struct source_match *m);
/* An endpoint where it belongs; proto has its match, point and side. */
struct endpoint *build_add_endpoint(struct build *b, struct endpoint proto,
				    struct pairing *to_begin, struct pairing *to_end);
/* How many endpoints a match can make. */
int build_endpoints_most(const struct source_match *m);
int build_event_number(struct build *b, const char *short_name);

/* build_period.c */
struct pairing *build_span(struct build *b, const struct ast_span *s);
struct pairing *build_call(struct build *b, const void *of, struct source_match *m);
struct scope build_event_scope(struct build *b, struct endpoint *e);
struct scope build_period_scope(struct build *b, struct pairing *p, struct endpoint *end);

/* build_func.c: the same for functions */
void build_func_endpoint(struct build *b, struct source_match *m, struct endpoint proto,
			 struct pairing *to_begin, struct pairing *to_end, struct endpoint **lone);
void build_func_call(struct build *b, struct pairing *p, struct source_match *m);
/* Does the return as an event need what only the entry knows? */
bool build_func_return_needs_entry(const struct build *b, const struct source_match *m);
/* A parameter of one of the calls, also of system calls, that the period is for. */
bool build_is_param(const struct pairing *p, const struct ax *e);
bool build_func_store(struct build *b, struct pairing *p);
/* A program for both ends that has only one to do. */
void build_func_finish(struct build *b, struct p_event *e);

/* build_query.c */
struct p_query *build_query(struct build *b, const struct ast_query *q, bool is_part);

/* build_sink.c; st NULL: a query without a sink prints the usual columns */
void build_print(struct build *b, struct p_query *q, const ways *all, const struct ast_stage *st);
void build_aggs(struct build *b, struct p_query *q, const ways *all, const struct ast_stage *st);
const char *build_column_name(struct build *b, struct str given, const struct ax *e);

/* build_table.c */
void build_table_stages(struct build *b, struct p_query *q, const ast_stages *stages, int from);
void build_join(struct build *b, struct p_query *q, const struct ast_query *ast);

/* build_early.c */
void build_early_where(struct build *b, struct way *w, const struct ax *where);
void build_early(struct build *b);

/* build_finish.c */
void build_finish(struct build *b);
/* The names that `event` is compared with: those of all sources so far. */
void build_name_events(struct build *b);

/* build_filter.c */
void build_filters(struct build *b);
/* A text of our own, checked where the endpoint is; quiet: NULL after a mistake. */
struct px *build_and(struct build *b, struct px *x, struct px *y);
struct px *build_text(struct build *b, struct endpoint *e, bool quiet, const char *text);

#endif
