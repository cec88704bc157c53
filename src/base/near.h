/*
 * near: of names that come one after the other, the one that was probably meant.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include "base/arena.h"
#include "base/str.h"

struct near {
	struct arena *arena;		/* the best is copied, with a NUL; NULL: the names stay */
	struct str name, best;		/* best.p is NULL: none is near enough */
	int distance;			/* of the best; at first one more than the most */
};

void near_look(struct near *n, struct str candidate);
/* The same when the distance is known. */
void near_take(struct near *n, struct str candidate, int distance);

/* Of an array of names; NULL: none is near enough to propose. */
const char *str_nearest(struct str name, const char *const *candidates, int n);

#endif
