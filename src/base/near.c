/* The nearest of many names. See near.h. */
#include "base/near.h"

void near_take(struct near *n, struct str candidate, int distance)
{
	if (distance >= n->distance)
		return;
	n->distance = distance;
	n->best = candidate;
	if (n->arena)
		n->best.p = arena_strndup(n->arena, candidate.p, (size_t)candidate.n);
}

void near_look(struct near *n, struct str candidate)
{
	near_take(n, candidate, str_distance(candidate, n->name, n->distance - 1));
}

const char *str_nearest(struct str name, const char *const *candidates, int n)
{
	struct near near = { .name = name, .distance = name.n < 4 ? 2 : name.n < 8 ? 3 : 4 };

	for (int i = 0; i < n; i++)
		near_look(&near, str_of(candidates[i]));
	return near.best.p;
}
