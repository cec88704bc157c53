/* build_source: the kinds of rows that the text of sources makes. */
#ifndef PLAN_BUILD_SOURCE_H
#define PLAN_BUILD_SOURCE_H

#include "plan/build.h"

/* ---- build_source.c ---- */
/* Adds what s itself names. */
void build_find(struct build *b, const struct ast_source *s, source_matches *out);
/* It names nothing here: says so, once. */
void build_report_none(struct build *b, const struct ast_source *s);
/* The definition whose name s is, or NULL. */
const struct ast_def *build_def_of(const struct build *b, const struct ast_source *s);
/* Into it, until its caller takes it from open_defs; false: it refers to itself, which was said. */
bool build_def_enter(struct build *b, const struct ast_def *d, struct loc loc);
/* Goes the `else` chain on behind s, because something that s is made of is not there? */
bool build_skips(struct build *b, const struct ast_source *s);
/* The events (and ends of calls) that one end of a span names. */
void build_end_matches(struct build *b, const struct ast_source *s, source_matches *out);

/* ---- build_branch.c ---- */
void build_branches(struct build *b, const struct ast_sources *s, b_branches *out);
void build_source_branches(struct build *b, struct ast_source *s, b_branches *out);
/* What its columns and fields are called by. */
struct str build_source_name(const struct ast_source *s);

/* ---- build_param.c ---- */
/* A source that is a parameter without a value: told as a mistake where it is needed. */
bool build_param_is_unset(struct build *b, const struct ast_source *s);
/* What `$main` stands for as a source; NULL: it is no such parameter. A mistake is told once. */
struct ast_sources *build_param_sources(struct build *b, const struct ast_source *s);
/* The stage itself, or what `split $parts` stands for. */
const struct ast_stage *build_param_parts(struct build *b, const struct ast_stage *st);

/* ---- build_debug_info.c ---- */
/* What only debug information tells of functions? */
bool build_needs_debug_info(struct build *b);

#endif
