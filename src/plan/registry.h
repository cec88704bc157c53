/*
 * registry: what the language has of sources, functions and aggregations. session/compile.c has the whole
 * one and hands it in, so that plan/ needs none of their files.
 */
#ifndef PLAN_REGISTRY_H
#define PLAN_REGISTRY_H

struct source_ops;
struct func_ops;
struct agg_ops;

struct registry {			/* each list ends with NULL */
	const struct source_ops *const *sources;
	const struct func_ops *const *funcs;
	const struct agg_ops *const *aggs;
};

#endif
