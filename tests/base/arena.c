/* An arena that is emptied gives the same memory again, zeroed. */
#include "test.h"

#include <sanitizer/asan_interface.h>

#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

TEST(arena_reset_gives_zeroed_memory_again)
{
	struct arena a = { 0 };
	char *first, *last;

	arena_reset(&a);
	for (int i = 0; i < 100; i++)
		last = memset(arena_alloc(&a, 1000), 1, 1000);
	arena_reset(&a);
	CHECK_EQ(a.bytes, 0);
	first = arena_alloc(&a, 1000);
	for (int i = 0; i < 1000; i++)
		CHECK_EQ(first[i], 0);
	CHECK(first <= last && last - first < 200000);
	arena_fini(&a);
	CHECK(!a.chunk);
}

/* Whatever test reads past an end sees it. */
TEST(arena_ends_are_poisoned)
{
	struct arena a = { 0 };
	char *p = arena_alloc(&a, 5), *next = arena_alloc(&a, 16);
	VEC(int) numbers = { 0 };

	CHECK(!__asan_region_is_poisoned(p, 5) && __asan_address_is_poisoned(p + 5));
	CHECK(!__asan_region_is_poisoned(next, 16) && __asan_address_is_poisoned(next + 16));
	for (int i = 0; i < 20; i++) {
		vec_push(&a, &numbers, i);
		CHECK(!__asan_region_is_poisoned(numbers.v, sizeof(int) * (size_t)numbers.n));
		CHECK(__asan_address_is_poisoned(&numbers.v[numbers.n]));
	}
	arena_reset(&a);
	p = arena_alloc(&a, 1);
	CHECK(__asan_address_is_poisoned(p + 1) && __asan_address_is_poisoned(p + 16));
	arena_fini(&a);
}
