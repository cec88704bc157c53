/* Growing arrays: see vec.h. */
#include "base/vec.h"
#include "base/poison.h"

#include <string.h>

#define FIRST_BYTES 256

/* Many arrays never have more than one item or two, and some items are large. */
static int first_cap(size_t item_bytes)
{
	size_t n = FIRST_BYTES / item_bytes;

	return n > 8 ? 8 : n < 2 ? 2 : (int)n;
}

void *vec_grow_(struct arena *a, void *v, int n, int *cap, size_t item_bytes)
{
	char *grown;

	if (n < *cap) {
		unpoison((char *)v + (size_t)n * item_bytes, item_bytes);
		return v;
	}
	*cap = *cap ? *cap * 2 : first_cap(item_bytes);
	grown = arena_alloc(a, (size_t)*cap * item_bytes);
	if (n)
		memcpy(grown, v, (size_t)n * item_bytes);
	poison(grown + (size_t)(n + 1) * item_bytes, (size_t)(*cap - n - 1) * item_bytes);
	return grown;
}
