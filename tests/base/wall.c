#include "base/wall.h"

#include "test.h"

TEST(wall_follows)
{
	struct wall w = { 0 };

	CHECK(wall_ns(&w, 7) == 7);
	wall_add(&w, 100, 1000000000);
	wall_add(&w, 200, 1000000900);		/* read a bit later: the same */
	wall_add(&w, 300, -5000000000);
	wall_add(&w, 400, 1000000000);
	CHECK(w.n == 3);
	CHECK(wall_ns(&w, 50) == 1000000050);
	CHECK(wall_ns(&w, 299) == 1000000299);
	CHECK(wall_ns(&w, 10000000300) == 11000000300);
	CHECK(wall_ns(&w, 300) == 300 - 5000000000ull);
	CHECK(wall_ns(&w, 399) == 399 - 5000000000ull);
}

TEST(wall_is_bounded)
{
	struct wall w = { 0 };

	for (int i = 0; i < 3 * WALL_CHANGES; i++)
		wall_add(&w, (uint64_t)i * 10, (int64_t)i * 2000000000);
	CHECK(w.n == WALL_CHANGES);
	CHECK(wall_ns(&w, 955) == 955 + 95 * 2000000000ull);
	CHECK(wall_ns(&w, 0) == 64 * 2000000000ull);
}
