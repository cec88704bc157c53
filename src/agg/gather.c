/*
 * Raw rows of an aggregation's tables become a struct table: see gather.h.
 *
 * Rows are kept merged, key and value behind each other, in the order they came;
 * at the end they are sorted by their keys' cells. Bucket rows find theirs by a
 * hash of the key, made only when there are any. A bucket row whose key has no row
 * found the table of rows full: it belongs to "(other)".
 */
#define _GNU_SOURCE	/* qsort_r */
#include "agg/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

struct row {
	char *key;
	char *value;
	/* by set: the buckets of sets that are not dense */
	struct bucket_list {
		int n, cap;
		struct bucket_count *v;
	} *buckets;
};

struct gather {
	const struct img_table *t;
	struct arena arena;
	struct row *rows;
	int n, cap;
	struct row other;
	bool has_other;
	bool sparse;			/* some set is not dense */
	struct map by_key;		/* if sparse: key -> its row's number + 1 */
};

static uint32_t key_bytes(const struct img_table *t)
{
	if (!t->query->n_keys)
		return 0;
	return t->dense ? 8 : t->key_bytes;
}

struct gather *gather_open(const struct img_table *t)
{
	struct gather *g = xcalloc(1, sizeof(*g));

	g->t = t;
	for (int i = 0; i < t->n_sets; i++)
		g->sparse |= t->sets[i].maps[0] >= 0;
	return g;
}

void gather_close(struct gather *g)
{
	if (!g)
		return;
	arena_fini(&g->arena);
	free(g->rows);
	free(g);
}

static uint64_t word_at(const void *p, uint32_t off)
{
	uint64_t w;

	memcpy(&w, (const char *)p + off, 8);
	return w;
}

static void add_word(char *into, const char *from, uint32_t off)
{
	uint64_t sum = word_at(into, off) + word_at(from, off);

	memcpy(into + off, &sum, 8);
}

static void merge_value(const struct img_table *t, char *into, const char *from)
{
	const struct p_query *q = t->query;

	for (int i = 0; i < q->n_aggs; i++) {
		const struct p_agg *a = &q->aggs[i];

		if (a->ops->merge)
			a->ops->merge(a, into + a->state_off, from + a->state_off);
	}
	for (int i = 0; i < t->n_sets; i++)
		if (t->sets[i].maps[0] < 0)
			for (uint32_t b = 0; b < t->sets[i].n_dense; b++)
				add_word(into, from, t->sets[i].off + 8 * b);
}

/* Values of 8-byte alignment, so that states can be read as structs. */
static bool merge_row(struct gather *g, struct row *r, const void *values, int n_values,
		      uint32_t stride)
{
	const struct img_table *t = g->t;
	bool any = false;

	for (int i = 0; i < n_values; i++) {
		const char *v = (const char *)values + (size_t)i * stride;

		if (!word_at(v, t->hits_off))
			continue;
		if (!r->value)
			r->value = arena_alloc(&g->arena, t->value_bytes);
		merge_value(t, r->value, v);
		any = true;
	}
	return any;
}

static struct bucket_list *new_lists(struct gather *g)
{
	return arena_array(&g->arena, struct bucket_list, g->t->n_sets);
}

void gather_row(struct gather *g, const void *key, const void *values, int n_values,
		uint32_t stride)
{
	uint32_t bytes = key_bytes(g->t);
	struct row r = { 0 };

	if (!merge_row(g, &r, values, n_values, stride))
		return;
	r.key = arena_alloc(&g->arena, bytes);
	if (bytes)
		memcpy(r.key, key, bytes);
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 64;
		g->rows = xrealloc(g->rows, sizeof(*g->rows) * (size_t)g->cap);
	}
	if (g->sparse) {
		r.buckets = new_lists(g);
		*map_put(&g->arena, &g->by_key, r.key, (int)bytes) = (void *)(intptr_t)(g->n + 1);
	}
	g->rows[g->n++] = r;
}

void gather_other(struct gather *g, const void *values, int n_values, uint32_t stride)
{
	if (merge_row(g, &g->other, values, n_values, stride))
		g->has_other = true;
}

void gather_bucket(struct gather *g, int set, const void *key, const uint64_t *counts,
		   int n_counts)
{
	intptr_t number = (intptr_t)map_get(&g->by_key, key, (int)key_bytes(g->t));
	struct row *r = number ? &g->rows[number - 1] : &g->other;
	uint64_t bucket = word_at(key, key_bytes(g->t)), count = 0;
	struct bucket_list *list;

	for (int i = 0; i < n_counts; i++)
		count += counts[i];
	if (!count)
		return;
	if (!r->buckets)
		r->buckets = new_lists(g);
	list = &r->buckets[set];
	*vec_add(&g->arena, list) = (struct bucket_count){ bucket, count };
}

static int bucket_order(const void *x, const void *y)
{
	const struct bucket_count *a = x, *b = y;

	return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

/* Buckets of one number become one: "(other)" has them of several keys. */
static void sort_buckets(struct bucket_list *l)
{
	int n = 0;

	if (l->n < 2)
		return;
	qsort(l->v, (size_t)l->n, sizeof(*l->v), bucket_order);
	for (int i = 1; i < l->n; i++) {
		if (l->v[i].bucket == l->v[n].bucket)
			l->v[n].count += l->v[i].count;
		else
			l->v[++n] = l->v[i];
	}
	l->n = n + 1;
}

/* The buckets of the row's set, in order, without empty ones; lists of dense sets
 * are made in a. */
static struct bucket_list row_buckets(struct gather *g, struct arena *a, struct row *r, int set)
{
	const struct img_buckets *s = &g->t->sets[set];
	struct bucket_list l = { 0 };

	if (s->maps[0] >= 0) {
		if (r->buckets)
			sort_buckets(&r->buckets[set]);
		return r->buckets ? r->buckets[set] : l;
	}
	for (uint32_t b = 0; b < s->n_dense; b++) {
		uint64_t count = word_at(r->value, s->off + 8 * b);

		if (count)
			*vec_add(a, &l) = (struct bucket_count){ b, count };
	}
	return l;
}

static void key_cells(const struct img_table *t, struct arena *a, const char *key,
		      struct cell *cells)
{
	uint64_t none = 0;

	for (int i = 0; i < t->query->n_keys; i++)
		if (t->keys[i].none_bit >= 0)
			none = word_at(key, t->none_off);
	for (int i = 0; i < t->query->n_keys; i++) {
		const struct img_field *f = &t->keys[i];

		if (f->none_bit >= 0 && none >> f->none_bit & 1)
			cells[i] = (struct cell){ .kind = CELL_NONE };
		else
			cells[i] = field_cell(a, &f->type, key + f->off, f->bytes);
	}
}

/* A row's values; scratch is cleared by the caller. */
static void value_cells(struct gather *g, struct arena *a, struct arena *scratch, struct row *r,
			struct cell *cells, double seconds)
{
	const struct p_query *q = g->t->query;

	if (!r->value)
		r->value = arena_alloc(&g->arena, g->t->value_bytes);
	for (int i = 0; i < q->n_aggs; i++) {
		const struct p_agg *agg = &q->aggs[i];
		int set = agg->shares_buckets ? q->aggs[agg->shares_with].buckets : agg->buckets;
		struct bucket_list l = { 0 };

		if (set >= 0)
			l = row_buckets(g, scratch, r, set);
		cells[i] = agg->ops->finish(a, agg, r->value + agg->state_off, l.v, l.n, seconds);
	}
}

static int row_order(const void *x, const void *y, void *arg)
{
	const struct p_query *q = arg;
	const struct cell *a = *(struct cell *const *)x, *b = *(struct cell *const *)y;

	for (int i = 0; i < q->n_keys; i++) {
		int order = cell_compare(&q->keys[i].type, &a[i], &b[i]);

		if (order)
			return order;
	}
	return 0;
}

struct table *gather_finish(struct gather *g, struct arena *a, double seconds)
{
	const struct p_query *q = g->t->query;
	struct table *t = arena_new(a, struct table);
	struct row empty = { 0 };

	t->name = q->part_name;
	t->n_columns = q->n_keys + q->n_aggs;
	t->columns = arena_array(a, struct column, t->n_columns);
	for (int i = 0; i < q->n_keys; i++)
		t->columns[i] = q->keys[i];
	for (int i = 0; i < q->n_aggs; i++)
		t->columns[q->n_keys + i] = q->aggs[i].column;
	if (!q->n_keys && !g->n) {
		/* no keys: one row, whatever happened; its buckets are other's */
		empty.buckets = g->other.buckets;
		g->other.buckets = NULL;
	}
	for (int i = 0; i < g->n || (!q->n_keys && i < 1); i++) {
		struct row *r = g->n ? &g->rows[i] : &empty;
		struct cell *cells = table_add_row(a, t);
		struct arena scratch = { 0 };

		key_cells(g->t, a, r->key, cells);
		value_cells(g, a, &scratch, r, cells + q->n_keys, seconds);
		arena_fini(&scratch);
	}
	if (q->n_keys && t->rows.n)
		qsort_r(t->rows.v, (size_t)t->rows.n, sizeof(*t->rows.v), row_order, (void *)q);
	if (g->has_other || g->other.buckets) {
		struct cell *cells = table_add_row(a, t);
		struct arena scratch = { 0 };

		value_cells(g, a, &scratch, &g->other, cells + q->n_keys, seconds);
		arena_fini(&scratch);
		t->other = true;
	}
	return t;
}
