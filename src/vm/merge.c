/*
 * merge: what another run of the same programs has gathered is added. What the values mean
 * is agg/gather's.
 */
#include "agg/gather.h"
#include "vm/vm.h"

struct merging {
	const struct img_table *table;
	struct vm_map *into;
};

static void merge_row(void *arg, const void *key, const void *value)
{
	const struct merging *m = arg;
	void *old = vm_map_lookup(m->into, key);

	if (old)
		gather_merge(m->table, old, value);
	else
		vm_map_update(m->into, key, value, BPF_NOEXIST);
}

static void merge_bucket(void *arg, const void *key, const void *value)
{
	const struct merging *m = arg;
	uint64_t *old = vm_map_lookup(m->into, key), count;

	memcpy(&count, value, sizeof(count));
	if (old)
		*old += count;
	else
		vm_map_update(m->into, key, value, BPF_NOEXIST);
}

void vm_table_merge(struct vm_map *into, const struct vm_map *from, const struct img_table *t)
{
	struct merging m = { t, &into[t->rows[0]] };

	vm_map_each(&from[t->rows[0]], merge_row, &m);
	if (t->other >= 0) {
		m.into = &into[t->other];
		vm_map_each(&from[t->other], merge_row, &m);
	}
	for (int i = 0; i < t->n_sets; i++) {
		if (t->sets[i].maps[0] < 0)
			continue;
		m.into = &into[t->sets[i].maps[0]];
		vm_map_each(&from[t->sets[i].maps[0]], merge_bucket, &m);
	}
}
