/* What the demo says is what the rows say: other rows, other words. */
#include "cli/demo.h"

#include <string.h>

#include "test.h"

#define MS 1000000

static struct cell text_cell(const char *s)
{
	return (struct cell){ .kind = CELL_BYTES, .bytes = { s, (int)strlen(s) } };
}

static struct cell int_cell(int64_t i)
{
	return (struct cell){ .kind = CELL_INT, .i = i };
}

static struct table calls_table(void)
{
	static struct column columns[] = {
		{ .name = "event", .type = { .kind = TY_STRING, .bytes = 64 } },
		{ .name = "count", .type = { .kind = TY_INT, .size = 8 } },
		{ .name = "total", .type = { .kind = TY_DURATION, .size = 8 } },
	};

	return (struct table){ .n_columns = 3, .columns = columns };
}

static void add_call(struct arena *a, struct table *t, const char *name, int64_t count, int64_t ns)
{
	struct cell *c = table_add_row(a, t);

	c[0] = text_cell(name);
	c[1] = int_cell(count);
	c[2] = int_cell(ns);
}

TEST(calls_in_the_order_that_was_measured)
{
	struct arena a = { 0 };
	struct table t = calls_table(), other = calls_table();
	struct buf b = { 0 };

	add_call(&a, &t, "clock_nanosleep", 20, 400 * MS);
	add_call(&a, &t, "wait4", 20, 100 * MS);
	add_call(&a, &t, "openat", 600, 1 * MS);
	demo_tell_calls(&b, &t);
	CHECK_STR(b.p, "TOTAL is the time inside each system call. The most is in clock_nanosleep (it\n"
		  "sleeps), 20 times 20.0 ms; then in wait4 (it waits for helpers to end), 20 times\n"
		  "5.0 ms. The most frequent is openat (it opens files, or tries to), 600 times 1.7\n"
		  "us: many, but together only 1.0 ms.");
	buf_clear(&b);
	add_call(&a, &other, "clone3", 20, 500 * MS);
	add_call(&a, &other, "clock_nanosleep", 20, 400 * MS);
	add_call(&a, &other, "futex", 7, 300 * MS);
	demo_tell_calls(&b, &other);
	CHECK_STR(b.p, "TOTAL is the time inside each system call. The most is in clone3 (it starts\n"
		  "helpers), 20 times 25.0 ms; then in clock_nanosleep (it sleeps), 20 times 20.0\nms.");
	buf_clear(&b);
	other.rows.n = 1;
	add_call(&a, &other, "read", 3, 30 * MS);
	add_call(&a, &other, "futex", 100, 200 * MS);
	demo_tell_calls(&b, &other);
	CHECK(strstr(b.p, "The most frequent is\nfutex, 100 times 2.0 ms.") || strstr(b.p, "The most frequent is futex, 100"));
	CHECK(!strstr(b.p, "sleeps"));
	buf_fini(&b);
	arena_fini(&a);
}

static struct table files_table(void)
{
	static struct column columns[] = {
		{ .name = "path", .type = { .kind = TY_STRING, .bytes = 64 } },
		{ .name = "error", .type = { .kind = TY_ERRNO, .size = 8 } },
		{ .name = "count", .type = { .kind = TY_INT, .size = 8 } },
	};

	return (struct table){ .n_columns = 3, .columns = columns };
}

static void add_file(struct arena *a, struct table *t, const char *path, int error, int64_t count)
{
	struct cell *c = table_add_row(a, t);

	c[0] = text_cell(path);
	c[1] = int_cell(error);
	c[2] = int_cell(count);
}

TEST(files_by_the_name_that_was_measured)
{
	struct arena a = { 0 };
	struct table t = files_table(), other = files_table();
	struct buf b = { 0 };

	demo_tell_files(&b, &t);
	CHECK_EQ(b.n, 0);
	add_file(&a, &t, "/etc/shop/prices.conf", 2, 200);
	add_file(&a, &t, "/opt/shop/prices.conf", 2, 200);
	add_file(&a, &t, "/etc/ld.so.preload", 2, 21);
	demo_tell_files(&b, &t);
	CHECK(!strncmp(b.p, "prices.conf was looked for 400 times, in 2 places: ENOENT. The answer is not\n", 76));
	buf_clear(&b);
	add_file(&a, &other, "/root/secret", 13, 1);
	demo_tell_files(&b, &other);
	CHECK_STR(b.p, "secret was looked for 1 time, in 1 place: EACCES. That query is a whole tool; it\n"
		  "was compiled to BPF.");
	buf_fini(&b);
	arena_fini(&a);
}

TEST(samples_of_the_last_row)
{
	static struct column columns[] = {
		{ .name = "comm", .type = { .kind = TY_STRING, .bytes = 16 } },
		{ .name = "samples", .type = { .kind = TY_INT, .size = 8 } },
	};
	struct table t = { .n_columns = 2, .columns = columns };
	struct arena a = { 0 };
	struct buf b = { 0 };

	for (int i = 0; i < 2; i++) {
		struct cell *c = table_add_row(&a, &t);

		c[0] = text_cell(i ? "exe" : "slow-shop");
		c[1] = int_cell(i ? 40 : 3);
	}
	demo_tell_samples(&b, &t);
	CHECK(!strncmp(b.p, "The most frequent is the last: exe, 40 samples. ", 48));
	CHECK(!strstr(b.p, "slow-shop"));
	buf_fini(&b);
	arena_fini(&a);
}
