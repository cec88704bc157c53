/* Conditions that no value meets together are told, and no others. */
#include "session/compile.h"
#include "lang/diag_tags.h"
#include "replay/made.h"
#include "test.h"

static struct arena arena;

static bool is_told(const char *where)
{
	struct err e = { .arena = &arena };
	struct catalog catalog = made_catalog(made_read(&arena, str_of("event e:e s:s32 m:u32 u:u64 name:comm\n"), &e));
	struct compile c = { .arena = &arena, .diag.arena = &arena, .catalog = &catalog,
			     .text = { "query", str_of(arena_printf(&arena, "e:e | where %s | count", where)) },
			     .options = { .has = { .tp_btf = true, .task_storage = true, .replay = true },
					  .uid = -1, .table_rows = 100, .max_open = 100, .cpus_possible = 4 } };

	compile_run(&c, 'p');
	CHECK_EQ(c.diag.errors, 0);
	return c.diag.items.n && !strcmp(c.diag.items.v[0].tag, DIAG_NEVER_TRUE);
}

TEST(conditions_that_no_value_meets)
{
	static const char *const empty[] = {
		"s == 3 && s == 4", "s < 3 && s >= 3", "s <= 3 && s > 3", "s > 3 && s < 4", "s == 3 && s > 3",
		"3 > s && 3 <= s", "3 >= s && 3 < s", "3 < s && s < 4", "3 == s && 4 == s",
		"s < -3 && s > -3", "s > 0 && u == 1 && s < 0", "u < 3 && u > 3", "u == 0xffffffffffffffff && u == 0",
		"u > 0x7fffffffffffffff && u < 5", "u <= 2 && u >= 3", "s == 3 | where s == 4",
	};
	static const char *const some[] = {
		"s <= 3 && s >= 3", "s < 4 && s > 2", "3 >= s && 3 <= s", "4 > s && 2 < s", "s < 3 && u > 3",
		"s < 3 || s > 3", "s != 3 && s != 4", "s > -3 && s < 3", "u > 5 && u < 0xffffffffffffffff",
		"s + 1 == 3 && s == 3", "s == 3", "u <= 0 && u == 0", "u < 0 && u == 3", "u > 0xffffffffffffffff && u == 3",
		"m >= -1 && m < 3", "abs(s) == 3 && abs(s) == 4",	/* a function may say something else the next time */
		"name == \"a\" && name == \"b\"",
	};

	for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++)
		if (!is_told(empty[i]))
			CHECK_STR(empty[i], "told");
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
		if (is_told(some[i]))
			CHECK_STR(some[i], "not told");
	arena_fini(&arena);
}
