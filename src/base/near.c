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
