/* Tables out of maps. See read.h. */
#include "agg/read.h"

#include "agg/gather.h"
#include "agg/worst.h"

static bool is_array(const struct img_map *m)
{
	return m->type == BPF_MAP_TYPE_PERCPU_ARRAY || m->type == BPF_MAP_TYPE_ARRAY;
}

static void to_row(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	gather_row(arg, key, values, n, stride);
}

static void to_other(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	(void)key;
	gather_other(arg, values, n, stride);
}

struct buckets {
	struct gather *g;
	int set;
};

static void to_bucket(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	const struct buckets *to = arg;

	(void)stride;			/* counts are u64 */
	gather_bucket(to->g, to->set, key, values, n);
}

static int read_rows(const struct map_source *maps, const struct reading *r, struct gather *g)
{
	const struct img_table *t = r->t;
	uint32_t n = t->dense ? t->dense : 1;
	struct map_part p = { t->rows[r->half], 0, 0, r->clear };

	if (is_array(&r->image->maps.v[t->rows[0]]))
		p = (struct map_part){ t->rows[0], (uint32_t)r->half * n, n, r->clear };
	return maps->read(maps->self, &p, to_row, g);
}

static int read_other(const struct map_source *maps, const struct reading *r, struct gather *g)
{
	struct map_part p = { r->t->other, (uint32_t)r->half, 1, r->clear };

	return r->t->other < 0 ? 0 : maps->read(maps->self, &p, to_other, g);
}

static int read_sets(const struct map_source *maps, const struct reading *r, struct gather *g)
{
	int code = 0;

	for (int i = 0; i < r->t->n_sets && !code; i++) {
		struct map_part p = { r->t->sets[i].maps[r->half], 0, 0, r->clear };

		if (r->t->sets[i].maps[0] >= 0)
			code = maps->read(maps->self, &p, to_bucket, &(struct buckets){ g, i });
	}
	return code;
}

static int read_aggs(const struct map_source *maps, const struct reading *r, struct arena *a,
		     struct table **out)
{
	struct gather *g = gather_open(r->t);
	int code;

	if (r->only)
		gather_only(g, r->only);
	code = read_rows(maps, r, g);
	if (!code)
		code = read_other(maps, r, g);
	if (!code)
		code = read_sets(maps, r, g);
	if (!code && r->alike)
		gather_alike(g, r->alike);
	if (!code)
		*out = gather_finish(g, a, r->seconds);
	gather_close(g);
	return code;
}

static void to_slot(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	(void)key;
	worst_slot(arg, values, n, stride);
}

static void to_nothing(void *arg, const void *key, const void *values, int n, uint32_t stride)
{
	(void)arg, (void)key, (void)values, (void)n, (void)stride;
}

static int read_worst(const struct map_source *maps, const struct reading *r, struct arena *a,
		      struct table **out)
{
	const struct img_table *t = r->t;
	struct worst *w = worst_open(t, image_find_rows(r->image, t->query));
	uint32_t half = (uint32_t)r->half, n = t->levels * (uint32_t)t->query->worst_n;
	struct map_part slots = { t->rows[0], half * n, n, r->clear };
	struct map_part heads = { t->heads, half * t->levels, t->levels, true };
	int code = maps->read(maps->self, &slots, to_slot, w);

	if (!code && r->clear)
		code = maps->read(maps->self, &heads, to_nothing, NULL);
	if (!code)
		*out = worst_finish(w, a);
	worst_close(w);
	return code;
}

int read_table(const struct map_source *maps, const struct reading *r, struct arena *a,
	       struct table **out)
{
	return r->t->levels ? read_worst(maps, r, a, out) : read_aggs(maps, r, a, out);
}
