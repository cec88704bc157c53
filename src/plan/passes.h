/*
 * passes: from the syntax to the plan. In this order; a pass runs when those before it found
 * no mistake (all are in env->diag).
 */
#ifndef PLAN_PASSES_H
#define PLAN_PASSES_H

#include "plan/check.h"

struct build;				/* a plan in the making; lives in env's arena */
struct build *build_begin(struct check_env *env, const struct ast *ast);

/* Sources, begins paired with ends, types, what is kept of begins: query by query and stage by
 * stage, because what a name means depends on the stages before it. */
void build_queries(struct build *b);
/* Without the columns of `let` that nothing reads. */
void build_unread(struct build *b);
/* BTF arguments, or the fields that perf records: for each event. */
void build_forms(struct build *b);
/* Where each period keeps its begins. */
void build_stores(struct build *b);
/* What a `where` asks of a begin is asked there, before anything is kept. */
void build_early(struct build *b);
/* What can be lost, and is counted. */
void build_counters(struct build *b);
/* The command line's filters. */
void build_filters(struct build *b);
/* Equal actions for different system calls become one. */
void build_merge(struct build *b);
/* The events with their actions in order, dense tables, where things are in records and rows. */
struct plan *build_collect(struct build *b);

#endif
