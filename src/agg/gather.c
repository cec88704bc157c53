/*
 * Raw rows of an aggregation's tables become a struct table: see gather.h.
 *
 * Rows are kept merged, in the order they came; at the end they are sorted by their
 * keys' cells. Bucket rows find theirs by a hash of the key, made only when there are
 * any, and wait in one flat array. A bucket row whose key has no row found the table
 * of rows full: it belongs to "(other)".
 */
#define _GNU_SOURCE	/* qsort_r */
#include "agg/gather.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "table/stack.h"

#define OTHER UINT32_MAX		/* row number of "(other)" */

struct row {
	char *key, *value;
};

/* A row of a bucket set that is not dense. */
struct bucket_row {
	uint32_t row, set;
	uint64_t bucket, count;
};

struct gather {
	const struct img_table *t;
	struct arena arena;
	struct row *rows;
	uint32_t n, cap;
	struct row other;
	bool has_other;
	bool sparse;			/* some set is not dense */
	uint32_t *index;		/* if sparse: hash of the key -> its row + 1 */
	uint32_t index_mask;
	struct bucket_row *buckets;
	size_t n_buckets, cap_buckets;
	size_t at;			/* first of the row that is finished now */
	struct period {
		uint64_t begin_ns, tid;
	} *only;			/* sorted: `in .. over` */
	int n_only;
};

static uint32_t key_bytes(const struct img_table *t)
{
	if (!p_query_all_keys(t->query))
		return 0;
	return t->dense ? 8 : t->key_bytes;
}

struct gather *gather_open(const struct img_table *t)
{
	struct gather *g = xcalloc(1, sizeof(*g));

	g->t = t;
	g->sparse = t->query->over != NULL;
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
	free(g->index);
	free(g->buckets);
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

void gather_merge(const struct img_table *t, void *into, const void *from)
{
	const uint64_t hit = 1;

	if (!word_at(from, t->hits_off))
		return;
	merge_value(t, into, from);
	if (!word_at(into, t->hits_off))
		memcpy((char *)into + t->hits_off, &hit, sizeof(hit));
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

/* ---- which row a bucket belongs to ---- */

static uint32_t *index_slot(const struct gather *g, const void *key)
{
	uint32_t bytes = key_bytes(g->t), at = hash_bytes(key, (int)bytes) & g->index_mask;

	while (g->index[at] && memcmp(g->rows[g->index[at] - 1].key, key, bytes))
		at = (at + 1) & g->index_mask;
	return &g->index[at];
}

/* Half of the slots stay free. */
static void index_grow(struct gather *g)
{
	uint32_t slots = g->index ? 2 * (g->index_mask + 1) : 256;

	free(g->index);
	g->index = xcalloc(slots, sizeof(*g->index));
	g->index_mask = slots - 1;
	for (uint32_t i = 0; i < g->n; i++)
		*index_slot(g, g->rows[i].key) = i + 1;
}

static uint32_t find_row(const struct gather *g, const void *key)
{
	if (!p_query_all_keys(g->t->query))
		return 0;
	return g->index && *index_slot(g, key) ? *index_slot(g, key) - 1 : OTHER;
}

/* ---- rows of periods that took so long ---- */

static int period_order(const void *x, const void *y)
{
	const struct period *a = x, *b = y;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

void gather_only(struct gather *g, const struct table *periods)
{
	g->only = arena_array(&g->arena, struct period, periods->rows.n);
	for (int i = 0; i < periods->rows.n - periods->other; i++)
		g->only[g->n_only++] = (struct period){ (uint64_t)periods->rows.v[i][0].i, (uint64_t)periods->rows.v[i][1].i };
	qsort(g->only, (size_t)g->n_only, sizeof(*g->only), period_order);
}

/* The key becomes one without what is not shown, in `room`; false: its period was not one of those.
 * A bucket may follow it. */
static bool shown_key(const struct gather *g, const void **key, char *room)
{
	const struct img_table *t = g->t;
	const struct img_field *f = t->keys + t->query->n_keys;
	struct period p;

	if (!t->query->over)
		return true;
	memcpy(room, *key, t->key_bytes + 8);
	p = (struct period){ word_at(room, f[0].off), word_at(room, f[1].off) };
	*key = room;
	memset(room + f[0].off, 0, 8);
	memset(room + f[1].off, 0, 8);
	return bsearch(&p, g->only, (size_t)g->n_only, sizeof(p), period_order);
}

/* ---- what comes ---- */

void gather_row(struct gather *g, const void *key, const void *values, int n_values,
		uint32_t stride)
{
	uint32_t bytes = key_bytes(g->t), known;
	struct row r = { 0 };
	char room[KEY_MOST];

	if (!shown_key(g, &key, room))
		return;
	known = g->only ? find_row(g, key) : OTHER;
	if (known != OTHER) {
		merge_row(g, &g->rows[known], values, n_values, stride);
		return;
	}
	if (!merge_row(g, &r, values, n_values, stride))
		return;
	r.key = arena_alloc(&g->arena, bytes);
	if (bytes)
		memcpy(r.key, key, bytes);
	if (g->n == g->cap) {
		g->cap = g->cap ? 2 * g->cap : 64;
		g->rows = xrealloc(g->rows, sizeof(*g->rows) * (size_t)g->cap);
	}
	g->rows[g->n++] = r;
	if (!g->sparse)
		return;
	if (!g->index || g->n > g->index_mask / 2)
		index_grow(g);
	else
		*index_slot(g, r.key) = g->n;
}

void gather_other(struct gather *g, const void *values, int n_values, uint32_t stride)
{
	/* whose periods those were is not known */
	if (!g->only && merge_row(g, &g->other, values, n_values, stride))
		g->has_other = true;
}

void gather_bucket(struct gather *g, int set, const void *key, const uint64_t *counts,
		   int n_counts)
{
	struct bucket_row b = { .set = (uint32_t)set };
	char room[KEY_MOST];

	if (!shown_key(g, &key, room))
		return;
	b.row = find_row(g, key);
	if (g->only && b.row == OTHER)
		return;
	b.bucket = word_at(key, key_bytes(g->t));
	for (int i = 0; i < n_counts; i++)
		b.count += counts[i];
	if (!b.count)
		return;
	g->has_other |= b.row == OTHER;
	if (g->n_buckets == g->cap_buckets) {
		g->cap_buckets = g->cap_buckets ? 2 * g->cap_buckets : 256;
		g->buckets = xrealloc(g->buckets, sizeof(b) * g->cap_buckets);
	}
	g->buckets[g->n_buckets++] = b;
}

/* ---- keys that are shown alike ---- */

static bool name_key(const struct img_table *t, char *key, struct alike *x)
{
	bool any = false;

	for (int i = 0; i < t->query->n_keys; i++) {
		const struct img_field *f = &t->keys[i];
		bool none = f->none_bit >= 0 && word_at(key, t->none_off) >> f->none_bit & 1;

		if (!stack_is(&f->type))
			continue;
		any = true;
		if (!none)
			alike_id(x, &f->type, key + f->off, f->bytes);
	}
	return any;
}

void gather_alike(struct gather *g, struct alike *x)
{
	uint32_t *to = xcalloc(g->n + 1, sizeof(*to)), n = 0;
	struct map rows = { 0 };	/* key -> its row + 1 */

	for (uint32_t i = 0; i < g->n && name_key(g->t, g->rows[i].key, x); i++) {
		void **at = map_put(&g->arena, &rows, g->rows[i].key, (int)key_bytes(g->t));

		if (!*at) {
			g->rows[n] = g->rows[i];
			*at = (void *)(uintptr_t)++n;
		} else {
			gather_merge(g->t, g->rows[(uintptr_t)*at - 1].value, g->rows[i].value);
		}
		to[i] = (uint32_t)(uintptr_t)*at - 1;
	}
	for (size_t i = 0; n && i < g->n_buckets; i++)
		if (g->buckets[i].row != OTHER)
			g->buckets[i].row = to[g->buckets[i].row];
	g->n = n ? n : g->n;
	free(to);
}

/* ---- the end ---- */

static int bucket_order(const void *x, const void *y)
{
	const struct bucket_row *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

struct bucket_list {
	int n, cap;
	struct bucket_count *v;
};

/*
 * The buckets of the row's set, in order, without empty ones. Rows are finished in
 * the order of their numbers, so theirs begin at g->at. Buckets of one number become
 * one: "(other)" has them of several keys.
 */
static struct bucket_list row_buckets(struct gather *g, struct arena *a, const struct row *r,
				      uint32_t row, int set)
{
	const struct img_buckets *s = &g->t->sets[set];
	struct bucket_list l = { 0 };

	for (uint32_t b = 0; s->maps[0] < 0 && b < s->n_dense; b++) {
		uint64_t count = word_at(r->value, s->off + 8 * b);

		if (count)
			*vec_add(a, &l) = (struct bucket_count){ b, count };
	}
	for (size_t i = g->at; i < g->n_buckets && g->buckets[i].row == row; i++) {
		const struct bucket_row *b = &g->buckets[i];

		if (b->set != (uint32_t)set)
			continue;
		if (l.n && vec_last(&l).bucket == b->bucket)
			vec_last(&l).count += b->count;
		else
			*vec_add(a, &l) = (struct bucket_count){ b->bucket, b->count };
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

static void value_cells(struct gather *g, struct arena *a, struct row *r, uint32_t row,
			struct cell *cells, double seconds)
{
	const struct p_query *q = g->t->query;
	struct arena scratch = { 0 };

	if (!r->value)
		r->value = arena_alloc(&g->arena, g->t->value_bytes);
	for (int i = 0; i < q->n_aggs; i++) {
		const struct p_agg *agg = &q->aggs[i];
		const struct p_agg *owner = agg->shares_buckets ? &q->aggs[agg->shares_with] : agg;
		struct bucket_list l = { 0 };

		if (owner->buckets >= 0)
			l = row_buckets(g, &scratch, r, row, owner->buckets);
		cells[i] = agg->ops->finish(a, agg, r->value + owner->state_off, l.v, l.n, seconds);
	}
	while (g->at < g->n_buckets && g->buckets[g->at].row == row)
		g->at++;
	arena_fini(&scratch);
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
	uint32_t n = g->n || q->n_keys ? g->n : 1;	/* no keys: one row, whatever happened */
	struct row empty = { 0 };

	if (g->n_buckets)
		qsort(g->buckets, g->n_buckets, sizeof(*g->buckets), bucket_order);
	t->name = q->part_name;
	t->n_columns = q->n_keys + q->n_aggs;
	t->columns = arena_array(a, struct column, t->n_columns);
	for (int i = 0; i < q->n_keys; i++)
		t->columns[i] = q->keys[i];
	for (int i = 0; i < q->n_aggs; i++)
		t->columns[q->n_keys + i] = q->aggs[i].column;
	for (uint32_t i = 0; i < n; i++) {
		struct row *r = g->n ? &g->rows[i] : &empty;
		struct cell *cells = table_add_row(a, t);

		key_cells(g->t, a, r->key, cells);
		value_cells(g, a, r, i, cells + q->n_keys, seconds);
	}
	if (q->n_keys && t->rows.n)
		qsort_r(t->rows.v, (size_t)t->rows.n, sizeof(*t->rows.v), row_order, (void *)q);
	if (g->has_other) {
		value_cells(g, a, &g->other, OTHER, table_add_row(a, t) + q->n_keys, seconds);
		t->other = true;
	}
	return t;
}
