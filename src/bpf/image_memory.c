/* What a table takes at most: an estimate, which explain shows. */
#include "bpf/image.h"

#define MAP_BYTES 1024			/* struct bpf_htab, bpf_array, ...: what a table has beside its rows */
#define PAGE_BYTES 4096ull
#define RING_MORE_BYTES (16u << 10)	/* the pages of its positions */
#define BUCKET_BYTES 16			/* struct bucket of a hash: for each row one, in a power of two */
#define ELEMENT_BYTES 48		/* struct htab_elem */
#define STORAGE_BYTES 112		/* struct bpf_local_storage_elem */
#define ROUND_UP_8(n) (((n) + 7ull) & ~7ull)

/* As the map_mem_usage functions of kernel/bpf/ count it (6.18). Each CPU has a row in reserve. */
static uint64_t hash_memory(uint64_t rows, uint64_t cpus, uint64_t row_bytes)
{
	uint64_t buckets = 1;

	while (buckets < rows)
		buckets *= 2;
	return buckets * BUCKET_BYTES + (rows + cpus) * row_bytes;
}

static uint64_t rows_memory(const struct img_map *m, uint64_t cpus)
{
	uint64_t n = m->max_entries;
	uint64_t value = ROUND_UP_8(m->value_bytes);
	uint64_t element = ELEMENT_BYTES + ROUND_UP_8(m->key_bytes);

	switch (m->type) {
	case BPF_MAP_TYPE_PERCPU_HASH:
		return hash_memory(n, cpus, element + 8 + value * cpus);
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
		return hash_memory(n, cpus, element + value);
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return n * (8 + value * cpus);
	case BPF_MAP_TYPE_RINGBUF:
		return n + RING_MORE_BYTES;
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
		return n * m->inner_bytes;
	case BPF_MAP_TYPE_TASK_STORAGE:
		return STORAGE_BYTES + value;		/* a thread */
	default:
		return m->flags & BPF_F_MMAPABLE ? PAGE_BYTES + (n * value + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES
						 : n * value;
	}
}

uint64_t image_memory(const struct img_map *m, uint64_t cpus)
{
	return rows_memory(m, cpus) + (m->type == BPF_MAP_TYPE_TASK_STORAGE ? 0 : MAP_BYTES);
}
