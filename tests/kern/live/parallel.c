/* Each number is worked on once, whatever threads there are; a cause of another thread's. */
#include <stdatomic.h>

#include "test.h"

#include "base/err.h"
#include "kern/live/parallel.h"

#define MOST 1000

struct seen {
	atomic_int times[MOST];
	atomic_int nested;
};

static void count(void *arg, int i)
{
	struct seen *s = arg;

	atomic_fetch_add(&s->times[i], 1);
}

static void count_nested(void *arg, int i)
{
	struct seen *s = arg, inner = { 0 };

	(void)i;
	parallel_work(3, count, &inner);
	atomic_fetch_add(&s->nested, inner.times[0] + inner.times[1] + inner.times[2]);
}

TEST(parallel_each_once)
{
	static const int numbers[] = { 0, 1, 2, PARALLEL_MOST, PARALLEL_MOST + 1, MOST };

	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
		for (int waits = 0; waits <= 1; waits++) {
			struct seen s = { 0 };

			(waits ? parallel_wait : parallel_work)(numbers[k], count, &s);
			for (int i = 0; i < MOST; i++)
				CHECK_EQ(s.times[i], i < numbers[k]);
		}
}

TEST(parallel_inside_another)
{
	struct seen s = { 0 };

	parallel_wait(PARALLEL_MOST, count_nested, &s);
	CHECK_EQ(s.nested, 3 * PARALLEL_MOST);
}

TEST(err_of_another_thread)
{
	struct arena a = { 0 }, b = { 0 };
	struct err mine = { .arena = &a }, other = { .arena = &b };

	err_push(&other, -1, "no memory");
	err_push(&other, -1, "cannot make table %s", "rows");
	err_help(&other, "take fewer");
	other.unable = true;
	err_join(&mine, &other);
	arena_fini(&b);
	REQUIRE(mine.causes.n == 2);
	CHECK_STR(mine.causes.v[0], "no memory");
	CHECK_STR(mine.causes.v[1], "cannot make table rows");
	CHECK_STR(mine.help, "take fewer");
	CHECK(mine.unable);
	arena_fini(&a);
}
