/* build_period: begins and ends that belong together. */
#ifndef PLAN_BUILD_PERIOD_H
#define PLAN_BUILD_PERIOD_H

#include "plan/build.h"

/* ---- build_period.c: all of them ---- */
/* The one that is made of this span or call; NULL: none yet. */
struct b_period *build_known_period(struct build *b, const void *of);
struct b_period *build_new_period(struct build *b, const void *of, struct loc loc);
/* What is to happen at its ends, when they are known. */
void build_add_actions(struct build *b, struct b_period *p);
/* "a, b, c, ...": what losses of a union are told of. */
const char *build_name_list(struct build *b, const char *names, const char *name);
/* A parameter of one of the calls, also of system calls, that the period is for. */
bool build_is_param(const struct b_period *p, struct str name);
/* Is what is open asked for, by `in`, `open` or `split`? */
bool build_is_asked(const struct b_period *p);
/* A slot of the record; values: [begin, then via]. Returns its number: that of another with
 * equal values, if there is one. */
int build_slot(struct build *b, struct b_period *p, struct p_slot slot, struct px **values);
/* One more, which is nothing of the begin: it is the row's own. */
int build_row_slot(struct build *b, struct b_period *p, struct type type);
/* Where the period is looked up by the thread of an event. */
struct p_look *build_look(struct build *b, struct b_period *p, struct b_action *at);

/* ---- build_call.c ---- */
/* asked: by begins at its returns, so that it ends behind them. */
struct b_period *build_call(struct build *b, const void *of, struct source_match *m, bool asked);
/* The same of m that names returns alone: what they return from. */
struct b_period *build_call_of_return(struct build *b, struct source_match *m, bool asked);
/* Adds the actions of a match, one for each class of its calls or functions. */
void build_action(struct build *b, struct source_match *m, struct b_action proto,
		  struct b_period *to_begin, struct b_period *to_end, struct b_action **rows);
/* Does a period's end pass the filters exactly if its begin does? A thread may get another name,
 * user, cgroup, CPU, and by an exec of another than the first another number: the begin's counts. */
bool build_end_tells_begin(const struct plan_options *o);

/* ---- build_span.c ---- */
struct b_period *build_span(struct build *b, const struct ast_span *s);

/* ---- build_keys.c: those of spans ---- */
/* The where of an end in three: keys, what needs the record, the rest. */
struct split_where {
	ax_list end_keys, begin_keys;
	struct ax *record, *rest;
};
struct split_where build_split_where(struct build *b, struct ax *where, bool keys_here);
/* x && y; one of them may be NULL. */
struct ax *build_and(struct build *b, struct ax *x, struct ax *y);
void build_check_keys(struct build *b, struct b_period *p, struct b_action *e, const ax_list *on,
		      bool is_begin);
/* Of a period without keys: is an event of it about another thread than it runs in? */
void build_warn_others(struct build *b, struct b_period *p);

#endif
