/*
 * rp_table: an aggregating query's rows out of the interpreter's tables. What they mean
 * is agg/gather's.
 */
#include "agg/gather.h"
#include "agg/worst.h"
#include "replay/vm.h"

struct handing {
	struct gather *gather;
	const struct img_table *table;
	int set;
	uint64_t dense;			/* next row of a dense table */
};

static void hand_row(void *arg, const void *key, const void *value)
{
	struct handing *h = arg;
	uint64_t row = h->dense++;

	if (!h->table->dense)
		gather_row(h->gather, key, value, 1, h->table->value_bytes);
	else if (row < h->table->dense)
		gather_row(h->gather, &row, value, 1, h->table->value_bytes);
}

static void hand_bucket(void *arg, const void *key, const void *value)
{
	struct handing *h = arg;
	uint64_t count;

	memcpy(&count, value, sizeof(count));
	gather_bucket(h->gather, h->set, key, &count, 1);
}

static struct table *aggs_read(struct rp_map *maps, const struct img_table *t, struct arena *a,
			       double seconds)
{
	struct handing h = { gather_open(t), t, 0, 0 };
	struct table *out;
	uint32_t zero = 0;

	rp_map_each(&maps[t->rows[0]], hand_row, &h);
	if (t->other >= 0)
		gather_other(h.gather, rp_map_lookup(&maps[t->other], &zero), 1, t->value_bytes);
	for (h.set = 0; h.set < t->n_sets; h.set++)
		if (t->sets[h.set].maps[0] >= 0)
			rp_map_each(&maps[t->sets[h.set].maps[0]], hand_bucket, &h);
	out = gather_finish(h.gather, a, seconds);
	gather_close(h.gather);
	return out;
}

static void hand_slot(void *arg, const void *key, const void *value)
{
	(void)key;
	worst_slot(arg, value, 1, 0);
}

static struct table *worst_read(struct rp_map *maps, const struct img_table *t,
				const struct img_rows *rows, struct arena *a)
{
	struct worst *w = worst_open(t, rows);
	struct table *out;

	rp_map_each(&maps[t->rows[0]], hand_slot, w);
	out = worst_finish(w, a);
	worst_close(w);
	return out;
}

struct table *rp_table_read(struct rp_map *maps, const struct bpf_image *image,
			    const struct img_table *t, struct arena *a, double seconds)
{
	if (t->levels)
		return worst_read(maps, t, image_find_rows(image, t->query), a);
	return aggs_read(maps, t, a, seconds);
}

struct merging {
	const struct img_table *table;
	struct rp_map *into;
};

static void merge_row(void *arg, const void *key, const void *value)
{
	const struct merging *m = arg;
	void *old = rp_map_lookup(m->into, key);

	if (old)
		gather_merge(m->table, old, value);
	else
		rp_map_update(m->into, key, value, BPF_NOEXIST);
}

static void merge_bucket(void *arg, const void *key, const void *value)
{
	const struct merging *m = arg;
	uint64_t *old = rp_map_lookup(m->into, key), count;

	memcpy(&count, value, sizeof(count));
	if (old)
		*old += count;
	else
		rp_map_update(m->into, key, value, BPF_NOEXIST);
}

void rp_table_merge(struct rp_map *into, const struct rp_map *from, const struct img_table *t)
{
	struct merging m = { t, &into[t->rows[0]] };

	rp_map_each(&from[t->rows[0]], merge_row, &m);
	if (t->other >= 0) {
		m.into = &into[t->other];
		rp_map_each(&from[t->other], merge_row, &m);
	}
	for (int i = 0; i < t->n_sets; i++) {
		if (t->sets[i].maps[0] < 0)
			continue;
		m.into = &into[t->sets[i].maps[0]];
		rp_map_each(&from[t->sets[i].maps[0]], merge_bucket, &m);
	}
}

void rp_table_clear(struct rp_map *maps, const struct img_table *t)
{
	rp_map_clear(&maps[t->rows[0]]);
	if (t->levels)
		rp_map_clear(&maps[t->heads]);
	if (t->other >= 0)
		rp_map_clear(&maps[t->other]);
	for (int i = 0; i < t->n_sets; i++)
		if (t->sets[i].maps[0] >= 0)
			rp_map_clear(&maps[t->sets[i].maps[0]]);
}
