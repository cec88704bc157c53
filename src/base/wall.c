#include "base/wall.h"

#include <string.h>

#define SAME_NS 1000000			/* two clocks are not read at once */

void wall_add(struct wall *w, uint64_t from_ns, int64_t offset_ns)
{
	if (w->n) {
		int64_t by_ns = offset_ns - w->v[w->n - 1].offset_ns;

		if (by_ns > -SAME_NS && by_ns < SAME_NS)
			return;
	}
	if (w->n == WALL_CHANGES)
		memmove(w->v, w->v + 1, sizeof(w->v[0]) * (size_t)--w->n);
	w->v[w->n++] = (struct wall_change){ from_ns, offset_ns };
}

uint64_t wall_ns(const struct wall *w, uint64_t time_ns)
{
	int i = w->n - 1;

	while (i > 0 && w->v[i].from_ns > time_ns)
		i--;
	return i < 0 ? time_ns : time_ns + (uint64_t)w->v[i].offset_ns;
}
