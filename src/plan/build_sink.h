/* build_sink: what a query's rows end in. */
#ifndef PLAN_BUILD_SINK_H
#define PLAN_BUILD_SINK_H

#include "plan/build.h"

/* ---- build_sink.c; st NULL: a query without a sink prints the usual columns ---- */
void build_print(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
void build_worst(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
void build_aggs(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);
void build_unknown_aggregation(struct build *b, const struct ast_agg *st);
/* The format of a print and the columns that go into it. */
void build_check_format(struct build *b, const struct ast_stage *st, struct p_query *q);
/* Merges the type of one branch's expression into the column's. */
void build_unify(struct build *b, struct type *t, const struct px *e, bool first);
const char *build_column_name(struct build *b, struct str given, const struct ax *e);

/* ---- build_tree.c ---- */
void build_tree(struct build *b, struct p_query *q, const b_branches *all, const struct ast_stage *st);

/* ---- build_table.c ---- */
void build_table_stages(struct build *b, struct p_query *q, const ast_stages *stages, int from);

#endif
