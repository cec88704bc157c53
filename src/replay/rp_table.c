/*
 * rp_table: what another run of the same programs has gathered is added. What the values mean
 * is agg/gather's.
 */
#include "agg/gather.h"
#include "replay/vm.h"

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
