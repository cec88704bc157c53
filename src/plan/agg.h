/*
 * agg: what an aggregation is. One file each in agg/, one row in agg/agg.def.
 *
 * State of one row of the table (one key): state_bytes inside the row's value,
 * all zero at first, so that a fresh row needs no initialisation. A bucketed
 * aggregation (hist, lhist, percentiles, distinct) counts values by a bucket
 * number instead (distinct has a state, too): without keys in a dense array inside the row, with keys as
 * rows (key, bucket) of a table of its own.
 */
#ifndef PLAN_AGG_H
#define PLAN_AGG_H

#include "base/diag.h"
#include "plan/expr.h"
#include "plan/registry.h"
#include "table/table.h"

struct cg;

struct bucket_count {
	uint64_t bucket, count;
};

/* One aggregation of a query. */
struct p_agg {
	const struct agg_ops *ops;
	struct str func;		/* as written: "p99.9" */
	struct column column;		/* its result's name and type */
	int n_args;
	struct type arg[4];
	double number[3];		/* lhist lo hi step; the percentile */
	bool has_where;
	struct loc loc;
	/* layout, by plan_layout: */
	uint32_t state_off, state_bytes;
	int buckets;			/* number of its bucket set in the query, -1: none */
	bool shares_buckets;		/* an earlier aggregation fills the same set */
	int shares_with;
};

struct agg_ops {
	const char *name;		/* "count"; percentiles: "p" followed by a number */
	const char *takes;		/* "(e)", or NULL: the texts of `culprit help aggregations` */
	const char *help;
	const char *example;		/* a query, compiled by tests/cmd/language.sh */
	int min_args, max_args;
	bool any_percent;		/* "p": the name ends with a number above 0 and up to 100 */
	/*
	 * Type rule and constant arguments: fills column.type, error and number[].
	 * args are the argument expressions of one branch. Mistakes to diag; false
	 * after one.
	 */
	bool (*check)(struct diag *d, struct p_agg *a, struct px *const *args, struct loc loc);
	/* Bytes of state of a row, a multiple of 8; may be 0. */
	uint32_t (*state_bytes)(const struct p_agg *a);
	/*
	 * Emits the update of the state for one row. cg_agg(cg) says where: see
	 * bpf/cg.h. NULL: nothing but buckets.
	 */
	void (*emit)(struct cg *cg, const struct p_agg *a);
	bool once;			/* not where the first word of the state is set: nor are its arguments read */
	/* Bucketed: emits R0 = the bucket of the value in R1 (clobbers R0-R5).
	 * n_dense: buckets are 0 .. n - 1; 0: any 64-bit number. */
	void (*emit_bucket)(struct cg *cg, const struct p_agg *a);
	uint32_t (*n_dense)(const struct p_agg *a);
	bool counts_left_out;		/* the state is a u64 of the values whose bucket found no room */
	/* into += from, two states of the same key; by_order: where rows came at one time
	 * that is not what they would have made one after the other. */
	void (*merge)(const struct p_agg *a, void *into, const void *from);
	bool by_order;
	bool shared;			/* a row is one of all CPUs: what came before is in it */
	/* The result. buckets in rising order of number; seconds is the length of
	 * the interval. */
	struct cell (*finish)(struct arena *arena, const struct p_agg *a, const void *state,
			      const struct bucket_count *buckets, int n_buckets, double seconds);
	bool zero_if_missing;		/* in a join: count and sum */
	bool counts_rows;		/* its result is how many rows it was given, its state a u64 of that */
};

/* The row for a name as written, or NULL; for percentiles, where percent is not NULL, which. */
const struct agg_ops *agg_find(const struct registry *r, struct str name, double *percent);

#endif
