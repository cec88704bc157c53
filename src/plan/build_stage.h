/* build_stage: stages of rows, and queries. */
#ifndef PLAN_BUILD_STAGE_H
#define PLAN_BUILD_STAGE_H

#include "plan/build.h"

/* ---- build_stage.c ---- */
struct p_step *build_step(struct build *b, struct p_branch *br, enum step_kind kind,
			  struct loc loc);
/* The number behind a stage's word: above 0, or that is said. */
int64_t build_stage_number(struct build *b, const struct ast_stage *st);
bool build_is_sink(struct build *b, const struct ast_stage *st);
/* Where the sink is among the stages: its index, or the first table stage's. */
int build_find_sink(struct build *b, const ast_stages *stages, const struct ast_stage **sink);

/* ---- build_early.c, build_empty.c: of `where` ---- */
void build_early_where(struct build *b, struct b_branch *w, const struct ax *where);
/* Warns of two conditions so far that no row meets together. */
void build_warn_empty(struct build *b, const struct p_branch *branch);

/* ---- build_open.c ---- */
/* Is one of the stages before the sink `open`? Then each period makes one kind of
 * rows, whatever its ends. */
void build_open_branches(struct build *b, struct p_query *q, b_branches *all, const ast_stages *stages,
			 int sink);
void build_open_row(struct build *b, struct b_branch *w);
void build_open_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);

/* ---- build_itself.c ---- */
/* Is the row itself one of these periods? *itself NULL: no row is. False: it can't be said, and
 * was reported. */
bool build_itself(struct build *b, const struct b_branch *row, const struct b_period *p, struct loc loc,
		  struct px **itself);
/* A function at which both of them begin or end, by two programs whose order is the kernel's; or NULL. */
const struct cat_function *build_shared_function(struct b_period *x, struct b_period *y);

/* ---- build_in.c ---- */
/* where and in */
void build_row_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);
/* The slot that says whether a branch's stages held at its period's begin; -1: none. */
int build_begin_cond(struct build *b, struct b_branch *w);

/* ---- build_over.c: `in SOURCE over TIME` ---- */
int64_t build_over_ns(struct build *b, const struct ast_stage *st);	/* 0: not asked */
struct ax *build_over_thread(struct build *b);
void build_over(struct build *b, struct p_query *q, const struct ast_stage *st, int64_t ns);
void build_over_sink(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *sink);

/* ---- build_split.c ---- */
void build_split_stage(struct build *b, struct b_branch *w, const struct ast_stage *st);

/* ---- build_state.c: how many states a thread can be seen in, and where they change ---- */
int build_count_states(struct build *b);
void build_states(struct build *b, struct b_period *row, struct loc loc);

/* ---- build_query.c, build_join.c ---- */
struct p_query *build_query(struct build *b, const struct ast_query *q, bool is_part);
void build_join(struct build *b, struct p_query *q, const struct ast_query *ast);

#endif
