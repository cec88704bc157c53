/*
 * wall: the time of day of a monotonic time, though somebody sets the clock or the machine
 * sleeps meanwhile: each time has the offset that was known then.
 */
#ifndef BASE_WALL_H
#define BASE_WALL_H

#include <stdint.h>

#define WALL_CHANGES 32			/* kept; of more the oldest go */

struct wall {
	int n;
	struct wall_change {
		uint64_t from_ns;	/* the first: for all times before, too */
		int64_t offset_ns;	/* CLOCK_REALTIME less it */
	} v[WALL_CHANGES];
};

/* from_ns is not before the last one's. An offset that is nearly the last one's is none. */
void wall_add(struct wall *w, uint64_t from_ns, int64_t offset_ns);
/* Without an offset it is the time itself. */
uint64_t wall_ns(const struct wall *w, uint64_t time_ns);

#endif
