/* Hash map: see map.h. FNV-1a, linear probing, at most 3/4 full. */
#include "base/map.h"

#include <stdbool.h>
#include <string.h>

uint32_t hash_bytes(const void *p, int n)
{
	const unsigned char *c = p;
	uint32_t h = 2166136261u;

	for (int i = 0; i < n; i++)
		h = (h ^ c[i]) * 16777619u;
	return h ^ (h >> 15);
}

static struct map_slot *find(const struct map *m, const void *key, int n, uint32_t h)
{
	for (int i = (int)(h & (uint32_t)(m->cap - 1));; i = (i + 1) & (m->cap - 1)) {
		struct map_slot *s = &m->slots[i];

		if (!s->key || (s->hash == h && s->key_bytes == n && !memcmp(s->key, key, (size_t)n)))
			return s;
	}
}

static void grow(struct arena *a, struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->slots = arena_array(a, struct map_slot, m->cap);
	for (int i = 0; i < old.cap; i++)
		if (old.slots[i].key)
			*find(m, old.slots[i].key, old.slots[i].key_bytes, old.slots[i].hash) = old.slots[i];
}

void **map_put(struct arena *a, struct map *m, const void *key, int n)
{
	uint32_t h = hash_bytes(key, n);
	struct map_slot *s;

	if (m->n * 4 >= m->cap * 3)
		grow(a, m);
	s = find(m, key, n, h);
	if (!s->key) {
		*s = (struct map_slot){ arena_strndup(a, key, (size_t)n), n, h, NULL };
		m->n++;
	}
	return &s->value;
}

void *map_get(const struct map *m, const void *key, int n)
{
	if (!m->n)
		return NULL;
	return find(m, key, n, hash_bytes(key, n))->value;
}
