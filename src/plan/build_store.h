/* build_store: where begins are kept. */
#ifndef PLAN_BUILD_STORE_H
#define PLAN_BUILD_STORE_H

#include "plan/build.h"

/* ---- build_func_store.c: those of functions' calls ---- */
bool build_func_store(struct build *b, struct b_period *p);	/* false: it is none */
/* What is a return alone is of calls that its own thread entered. */
void build_func_returns(struct build *b);
/* Begins of calls whose returns the kernel will not show are counted instead. */
void build_too_deep(struct build *b, struct b_period *p);

/* ---- build_thread.c: what is found by its thread ---- */
/* Does it end on its thread: without a key, or with the thread's number as the key of each end? */
bool build_is_of_thread(struct build *b, struct b_period *p);
/* The thread as a key, where its storage cannot be had. */
void build_key_by_thread(struct build *b, struct b_period *p);
/* What finds a keyed period by the thread of its begin. */
void build_latest_by_thread(struct build *b, struct b_period *p);
/* Begins that are found by their thread's number go with the thread. */
void build_exit(struct build *b, struct b_period *p);
/* And where one gets another number: by an exec that not the first of its process makes. */
void build_move(struct build *b, struct b_period *p);

/* ---- build_tree.c ---- */
/* Can each of them count what is open on its thread? */
void build_tree_check(struct build *b, struct b_period *p);

/* ---- build_unread.c ---- */
typedef bool build_test(const struct px *e, void *arg);
/* Is there an expression in the branch for which test is true? */
bool build_branch_any(const struct p_branch *br, build_test *test, void *arg);

/* ---- build_before.c ---- */
void build_before(struct build *b);

#endif
