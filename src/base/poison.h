/*
 * poison: memory that nobody may touch, though it is allocated: the address sanitiser tells of it.
 * Without the sanitiser it is nothing.
 */
#ifndef BASE_POISON_H
#define BASE_POISON_H

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>

#define POISON_GAP_BYTES 16		/* between two pieces of an arena */

static inline void poison(void *p, size_t bytes)
{
	__asan_poison_memory_region(p, bytes);
}

static inline void unpoison(void *p, size_t bytes)
{
	__asan_unpoison_memory_region(p, bytes);
}
#else
#define POISON_GAP_BYTES 0

static inline void poison(void *p, size_t bytes)
{
	(void)p;
	(void)bytes;
}

static inline void unpoison(void *p, size_t bytes)
{
	(void)p;
	(void)bytes;
}
#endif

#endif
