/* build_event: events of the plan, and the actions at them. */
#ifndef PLAN_BUILD_EVENT_H
#define PLAN_BUILD_EVENT_H

#include "plan/build.h"

/* ---- build_event.c ---- */
struct b_event *build_event(struct build *b, const struct source_match *m);
/* Is the one function that m names the action's, under another name? */
bool build_is_another_name(const struct b_action *e, const struct source_match *m);
int build_event_number(struct build *b, const char *short_name);
/* The names that `event` is compared with: those of all sources so far. */
void build_name_events(struct build *b);

/* ---- build_action.c ---- */
/* An action where it belongs; proto has its match, event and side. */
struct b_action *build_add_action(struct build *b, struct b_action proto,
				  struct b_period *to_begin, struct b_period *to_end);
/* Of a match of no functions: an action for each class of its calls, or one. */
void build_event_action(struct build *b, struct source_match *m, struct b_action proto,
			struct b_period *to_begin, struct b_period *to_end, struct b_action **rows);
/* How many actions a match can make. */
int build_actions_most(const struct source_match *m);
/* Are these all system calls there are? */
bool build_is_every_call(struct build *b, const struct p_calls *set);
/* Has each of the match's calls a parameter of this name? */
bool build_calls_have(const struct source_match *m, struct str name);

/* ---- build_func.c ---- */
void build_func_action(struct build *b, struct source_match *m, struct b_action proto,
		       struct b_period *to_begin, struct b_period *to_end, struct b_action **rows);
/* The two ends of its calls. */
void build_func_call(struct build *b, struct b_period *p, struct source_match *m);
/* Does the return as an event need what only the entry knows? */
bool build_func_return_needs_entry(const struct build *b, const struct source_match *m);
/* A running program's: the kernel keeps its open calls in the thread, 64 at most, and fork copies them. */
bool build_is_in_program(const struct build *b, const struct cat_function *f);
/* A fork inside of a program's function copies the open call: its return fires in the child, too. */
bool build_returns_in_child(const struct build *b, const struct b_period *p);
/* Can returns be missed without a word of the kernel? Then the entries show it. */
bool build_misses_returns(const struct build *b, const struct source_match *m);
/* Storage is made by the allocator: a program that runs inside of it can't. */
bool build_watches_allocator(const struct b_period *p);
/* A program for both ends that has only one to do. */
void build_func_finish(struct build *b, struct p_event *e);

#endif
