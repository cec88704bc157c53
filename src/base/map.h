/*
 * map: bytes -> pointer, open addressing. Keys are copied into the arena.
 * A zeroed map is empty.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct map_slot {
	const char *key;
	int key_bytes;
	uint32_t hash;
	void *value;
};

struct map {
	struct map_slot *slots;
	int n, cap;
};

/* The address of the value of key, added (as NULL) if it was not there. */
void **map_put(struct arena *a, struct map *m, const void *key, int key_bytes);
/* The value, or NULL. */
void *map_get(const struct map *m, const void *key, int key_bytes);

static inline void **map_put_str(struct arena *a, struct map *m, struct str s)
{
	return map_put(a, m, s.p, s.n);
}

static inline void *map_get_str(const struct map *m, struct str s)
{
	return map_get(m, s.p, s.n);
}

uint32_t hash_bytes(const void *p, int n);

#endif
