/* Growing arrays: see vec.h. */
#include "base/vec.h"

#include <string.h>

void *vec_grow_(struct arena *a, void *v, int n, int *cap, size_t item_bytes)
{
	void *grown;

	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 8;
	grown = arena_alloc(a, (size_t)*cap * item_bytes);
	if (n)
		memcpy(grown, v, (size_t)n * item_bytes);
	return grown;
}
