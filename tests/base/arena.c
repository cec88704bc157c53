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

TEST(arena_join_keeps_what_was_in_it)
{
	struct arena a = { 0 }, from = { 0 };
	char *mine = arena_strdup(&a, "mine"), *theirs = arena_strdup(&from, "theirs");
	size_t bytes = a.bytes + from.bytes;

	arena_join(&a, &from);
	arena_fini(&from);
	CHECK_STR(mine, "mine");
	CHECK_STR(theirs, "theirs");
	CHECK_EQ(a.bytes, bytes);
	arena_join(&from, &a);
	CHECK_STR(theirs, "theirs");
	CHECK(!a.chunk);
	arena_fini(&from);
}
