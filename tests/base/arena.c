/* An arena that is emptied gives the same memory again, zeroed. */
#include "test.h"

#include <string.h>

#include "base/arena.h"

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
