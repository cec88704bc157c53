/* clock: the time of one of the system's clocks as a number of nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S 1000000000

static inline uint64_t clock_ns(int clock)		/* CLOCK_MONOTONIC, ... */
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

#endif
