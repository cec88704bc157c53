/*
 * map: the tables of programs that run here: hash, array, and what stands for their
 * per-CPU forms. Events are run one after the other, so one value a key is enough.
 *
 * Entries of a hash are in chunks that never move and are chained by number. Task
 * storage is task.c's, the ring buffer helper.c's.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/map.h"
#include "vm/vm.h"

#define CHUNK_ENTRIES 256
#define VALUE_BYTES_MOST (1u << 24)
#define ARRAY_BYTES_MOST (1ull << 32)
#define HEADS_FIRST 64

struct entry {
	uint32_t next, hash;
	unsigned char key[];		/* padded to 8 bytes, then the value */
};

static uint32_t round8(uint32_t n)
{
	return (n + 7) & ~7u;
}

static bool is_array(uint32_t type)
{
	return type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static bool is_hash(uint32_t type)
{
	return type == BPF_MAP_TYPE_HASH || type == BPF_MAP_TYPE_PERCPU_HASH ||
	       type == BPF_MAP_TYPE_LRU_HASH || type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static void array_fill(struct vm_map *m)
{
	memset(m->array, 0, (size_t)m->img->max_entries * m->value_stride);
	if (m->img->init)
		memcpy(m->array, m->img->init, m->value_bytes);
}

int vm_map_init(struct vm_map *m, const struct img_map *img, bool limits, struct err *e)
{
	*m = (struct vm_map){ .img = img, .key_bytes = img->key_bytes,
			      .value_bytes = img->value_bytes, .storage = -1,
			      .entries_most = limits ? img->max_entries : UINT32_MAX - 1 };
	if (img->key_bytes > VALUE_BYTES_MOST || img->value_bytes > VALUE_BYTES_MOST)
		return err_push(e, -E2BIG, "table %s: keys or values too large", img->name);
	m->value_stride = round8(img->value_bytes);
	m->entry_bytes = (uint32_t)sizeof(struct entry) + round8(img->key_bytes) + m->value_stride;
	if ((is_array(img->type) && img->key_bytes != 4) || (is_hash(img->type) && !img->key_bytes))
		return err_push(e, -EINVAL, "table %s: keys of %u bytes", img->name, img->key_bytes);
	if (is_array(img->type)) {
		if ((uint64_t)img->max_entries * m->value_stride > ARRAY_BYTES_MOST)
			return err_push(e, -E2BIG, "table %s: too large", img->name);
		m->array = xcalloc(img->max_entries, m->value_stride);
		array_fill(m);
	} else if (is_hash(img->type) || img->type == BPF_MAP_TYPE_ARRAY_OF_MAPS) {
		/* of maps there are none in this process: it is empty */
		m->heads = xcalloc(HEADS_FIRST, sizeof(*m->heads));
		m->mask = HEADS_FIRST - 1;
	} else if (img->type != BPF_MAP_TYPE_TASK_STORAGE && img->type != BPF_MAP_TYPE_RINGBUF) {
		return err_push(e, -EINVAL, "table %s: no such type here", img->name);
	}
	return 0;
}

void vm_map_fini(struct vm_map *m)
{
	for (uint32_t i = 0; i < m->n_chunks; i++)
		free(m->chunks[i]);
	free(m->chunks);
	free(m->heads);
	free(m->array);
}

/* ---- hash ---- */

static struct entry *entry_at(const struct vm_map *m, uint32_t number)
{
	uint32_t i = number - 1;

	return (struct entry *)(m->chunks[i / CHUNK_ENTRIES] +
				(size_t)(i % CHUNK_ENTRIES) * m->entry_bytes);
}

static unsigned char *entry_value(const struct vm_map *m, struct entry *en)
{
	return en->key + round8(m->key_bytes);
}

static uint32_t key_hash(const struct vm_map *m, const void *key)
{
	uint64_t word;

	if (m->key_bytes != 8)
		return hash_bytes(key, (int)m->key_bytes);
	memcpy(&word, key, sizeof(word));
	word *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(word >> 32);
}

static bool key_is(const struct vm_map *m, const struct entry *en, const void *key)
{
	if (m->key_bytes == 8)			/* most are: one comparison */
		return !memcmp(en->key, key, 8);
	return !memcmp(en->key, key, m->key_bytes);
}

static struct entry *entry_find(const struct vm_map *m, const void *key, uint32_t hash)
{
	struct entry *en;

	for (uint32_t n = m->heads[hash & m->mask]; n; n = en->next) {
		en = entry_at(m, n);
		if (en->hash == hash && key_is(m, en, key))
			return en;
	}
	return NULL;
}

static void heads_grow(struct vm_map *m)
{
	uint32_t n_heads = m->mask + 1, more = n_heads * 2;
	uint32_t *heads = xcalloc(more, sizeof(*heads));

	for (uint32_t i = 0; i < n_heads; i++) {
		uint32_t n = m->heads[i];

		while (n) {
			struct entry *en = entry_at(m, n);
			uint32_t next = en->next, *head = &heads[en->hash & (more - 1)];

			en->next = *head;
			*head = n;
			n = next;
		}
	}
	free(m->heads);
	m->heads = heads;
	m->mask = more - 1;
}

/* The number of an entry that is not used. */
static uint32_t entry_take(struct vm_map *m)
{
	uint32_t n = m->free;

	if (n) {
		m->free = entry_at(m, n)->next;
		return n;
	}
	if (m->n_made == m->n_chunks * CHUNK_ENTRIES) {
		m->chunks = xrealloc(m->chunks, (m->n_chunks + 1) * sizeof(*m->chunks));
		m->chunks[m->n_chunks++] = xcalloc(CHUNK_ENTRIES, m->entry_bytes);
	}
	return ++m->n_made;
}

static int hash_update(struct vm_map *m, const void *key, const void *value, uint64_t flags)
{
	uint32_t hash = key_hash(m, key), number;
	struct entry *en = entry_find(m, key, hash);

	if (en && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!en && flags == BPF_EXIST)
		return -ENOENT;
	if (!en) {
		if (m->n_used >= m->entries_most)
			return -E2BIG;
		if (m->n_used > m->mask && m->mask < 1u << 30)
			heads_grow(m);
		number = entry_take(m);
		en = entry_at(m, number);
		en->hash = hash;
		en->next = m->heads[hash & m->mask];
		m->heads[hash & m->mask] = number;
		m->n_used++;
		memcpy(en->key, key, m->key_bytes);
	}
	memcpy(entry_value(m, en), value, m->value_bytes);
	return 0;
}

static int hash_delete(struct vm_map *m, const void *key)
{
	uint32_t hash = key_hash(m, key), *at = &m->heads[hash & m->mask];

	while (*at) {
		uint32_t number = *at;
		struct entry *en = entry_at(m, number);

		if (en->hash == hash && key_is(m, en, key)) {
			*at = en->next;
			en->next = m->free;
			m->free = number;
			m->n_used--;
			return 0;
		}
		at = &en->next;
	}
	return -ENOENT;
}

/* ---- both ---- */

static void *array_value(const struct vm_map *m, const void *key)
{
	uint32_t i;

	memcpy(&i, key, sizeof(i));
	return i < m->img->max_entries ? m->array + (size_t)i * m->value_stride : NULL;
}

void *vm_map_lookup(const struct vm_map *m, const void *key)
{
	struct entry *en;

	if (m->array)
		return array_value(m, key);
	if (!m->heads)
		return NULL;
	en = entry_find(m, key, key_hash(m, key));
	return en ? entry_value(m, en) : NULL;
}

int vm_map_update(struct vm_map *m, const void *key, const void *value, uint64_t flags)
{
	void *at;

	if (m->heads)
		return hash_update(m, key, value, flags);
	if (!m->array || flags == BPF_NOEXIST)
		return m->array ? -EEXIST : -EINVAL;
	at = array_value(m, key);
	if (!at)
		return -E2BIG;
	memcpy(at, value, m->value_bytes);
	return 0;
}

int vm_map_delete(struct vm_map *m, const void *key)
{
	return m->heads ? hash_delete(m, key) : -EINVAL;
}

void vm_map_each(const struct vm_map *m,
		 void (*each)(void *arg, const void *key, const void *value), void *arg)
{
	if (m->array)
		for (uint32_t i = 0; i < m->img->max_entries; i++)
			each(arg, &i, m->array + (size_t)i * m->value_stride);
	if (!m->heads)
		return;
	for (uint32_t i = 0; i <= m->mask; i++) {
		struct entry *en;

		for (uint32_t n = m->heads[i]; n; n = en->next) {
			en = entry_at(m, n);
			each(arg, en->key, entry_value(m, en));
		}
	}
}

void vm_map_clear(struct vm_map *m)
{
	if (m->array)
		array_fill(m);
	if (m->heads)
		memset(m->heads, 0, (m->mask + 1) * sizeof(*m->heads));
	m->n_made = m->n_used = m->free = 0;
}

struct handing {
	map_row_fn *each;
	void *arg;
	uint32_t stride;
};

static void hand_row(void *arg, const void *key, const void *value)
{
	const struct handing *h = arg;

	h->each(h->arg, key, value, 1, h->stride);
}

int vm_maps_read(void *maps, const struct map_part *p, map_row_fn *each, void *arg)
{
	struct vm_map *m = &((struct vm_map *)maps)[p->map];

	for (uint64_t i = 0; m->array && i < p->n; i++) {
		unsigned char *value = m->array + (size_t)(p->first + i) * m->value_stride;

		each(arg, &i, value, 1, m->value_stride);
		if (p->clear)
			memset(value, 0, m->value_bytes);
	}
	if (!m->heads)
		return 0;
	vm_map_each(m, hand_row, &(struct handing){ each, arg, m->value_stride });
	if (p->clear)
		vm_map_clear(m);
	return 0;
}
