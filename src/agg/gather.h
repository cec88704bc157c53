/*
 * gather: raw rows of an aggregation's tables become a struct table.
 *
 * Both executors hand the bytes they find in their tables to this; it merges
 * the CPUs' values, matches bucket rows to their key and finishes each cell.
 * It does not run the table stages: table/stage.h does.
 */
#ifndef AGG_GATHER_H
#define AGG_GATHER_H

#include "bpf/image.h"
#include "table/alike.h"

struct gather;

/* into += from, two values of one key, or of no row. */
void gather_merge(const struct img_table *t, void *into, const void *from);

struct gather *gather_open(const struct img_table *t);
/* Before any row, where rows have hidden keys: only those whose are in this table count. */
void gather_only(struct gather *g, const struct table *periods);
/* A row. values: n_values values of t->value_bytes each (stride bytes apart), to
 * be merged. For a dense table key is the u64 row number (half removed). Rows
 * whose hits word is 0 in all are skipped. */
void gather_row(struct gather *g, const void *key, const void *values, int n_values,
		uint32_t stride);
void gather_other(struct gather *g, const void *values, int n_values, uint32_t stride);
/* A row of bucket set `set` that is not dense: key + u64 bucket, counts of n CPUs. */
void gather_bucket(struct gather *g, int set, const void *key, const uint64_t *counts,
		   int n_counts);
/* Behind all rows and buckets: those whose keys are shown alike become one. */
void gather_alike(struct gather *g, struct alike *x);
/* Rows in a fixed order: by key, so that both executors agree byte for byte;
 * "(other)" last. No keys: always exactly one row. */
struct table *gather_finish(struct gather *g, struct arena *a, double seconds);
void gather_close(struct gather *g);

#endif
