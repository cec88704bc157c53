/*
 * clock: the time that programs in the kernel have (bpf_ktime_get_ns). Inside of a time
 * namespace CLOCK_MONOTONIC is another.
 */
#ifndef KERN_CLOCK_H
#define KERN_CLOCK_H

#include "base/clock.h"
#include "base/err.h"

/* How long the machine was suspended, since it was booted. */
static inline uint64_t clock_slept_ns(void)
{
	uint64_t awake_ns = clock_ns(CLOCK_MONOTONIC);

	return clock_ns(CLOCK_BOOTTIME) - awake_ns;
}

/* How far a clock ("monotonic", "boottime") is before the kernel's here. 0 or -errno: it is not
 * told. */
int clock_ahead(const char *clock, int64_t *ahead_ns, struct err *e);

/* A descriptor that can be read when somebody set CLOCK_REALTIME, or the machine slept. -1:
 * there is none. */
int clock_watch(void);
/* Looks on for the next time. */
void clock_watched(int fd);

#endif
