/*
 * test: what a C test needs. Include it once, write
 *
 *	TEST(str_glob_star)
 *	{
 *		CHECK(str_glob(str_of("a*"), str_of("abc")));
 *		CHECK_EQ(1 + 1, 2);
 *		CHECK_STR(name, "getppid");
 *	}
 *
 * and nothing else: main is here. A failed check is printed and the test goes on;
 * REQUIRE and SKIP("why") end it. Lines `ok NAME`, `not ok NAME`, `skip NAME: why` are
 * what tests/run counts. A test program is linked with all of src/ but cli/main.c and
 * cmd_*.c, under the address and undefined-behaviour sanitisers. Arguments select tests
 * by name. Directives for the runner, in a comment of the first 20 lines:
 * `test: timeout=SECONDS` and `test: serial` (not beside another test).
 *
 * What tries each of a great many places tries each test_step(N)th: all of them with `make test-all`
 * (and with T=...), one in N with `make test`.
 */
#ifndef TEST_H
#define TEST_H

#include <dirent.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

static struct test *test_first, **test_end = &test_first;
static inline int test_step(int quick)
{
	const char *all = getenv("ALL");

	return all && *all ? 1 : quick;
}

static int test_failures;		/* of the running test */
static const char *test_skip;
static jmp_buf test_out;

#define TEST(id)							\
	static void test_run_##id(void);				\
	static struct test test_row_##id = { #id, test_run_##id, NULL };\
	__attribute__((constructor)) static void test_add_##id(void)	\
	{								\
		*test_end = &test_row_##id;				\
		test_end = &test_row_##id.next;				\
	}								\
	static void test_run_##id(void)

/* Where a check failed; at most 20 of a test are told. */
#define TEST_FAIL(...) do {						\
	if (test_failures++ < 20) {					\
		printf("# %s:%d: ", __FILE__, __LINE__);		\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
	}								\
} while (0)

#define CHECK(cond) do {						\
	if (!(cond))							\
		TEST_FAIL("%s", #cond);					\
} while (0)

#define REQUIRE(cond) do {						\
	if (!(cond)) {							\
		TEST_FAIL("%s", #cond);					\
		longjmp(test_out, 1);					\
	}								\
} while (0)

/* Integers of any type. */
#define CHECK_EQ(got, want) do {					\
	long long test_got = (long long)(got);				\
	long long test_want = (long long)(want);			\
	if (test_got != test_want)					\
		TEST_FAIL("%s is %lld (%#llx), not %lld (%#llx)", #got,	\
			  test_got, test_got, test_want, test_want);	\
} while (0)

/* NUL-terminated text; NULL only equals NULL. */
#define CHECK_STR(got, want) do {					\
	const char *test_got = (got), *test_want = (want);		\
	if (test_differ(test_got, test_want))				\
		TEST_FAIL("%s is\n#   '%s', not\n#   '%s'", #got,	\
			  test_got ? test_got : "(null)",		\
			  test_want ? test_want : "(null)");		\
} while (0)

#define SKIP(why) do {							\
	test_skip = (why);						\
	longjmp(test_out, 1);						\
} while (0)

__attribute__((unused)) static bool test_differ(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) != 0 : a != b;
}

static bool test_wanted(const struct test *t, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strstr(t->name, argv[i]))
			return true;
	return argc < 2;
}

__attribute__((noinline)) static int test_open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Apart from main, as what it calls, so that longjmp clobbers nothing. */
__attribute__((noinline)) static void test_run(const struct test *t)
{
	int before = test_open_files(), more;

	test_failures = 0;
	test_skip = NULL;
	if (!setjmp(test_out))
		t->run();
	more = test_open_files() - before;
	if (more && !test_failures && !test_skip)
		TEST_FAIL("%d descriptors more are open than before", more);
}

int main(int argc, char **argv)
{
	int failed = 0, ran = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	setenv("TMP", "/tmp", 0);		/* run by hand */
	for (struct test *t = test_first; t; t = t->next) {
		if (!test_wanted(t, argc, argv))
			continue;
		ran++;
		test_run(t);
		if (test_failures)
			printf("not ok %s\n", t->name);
		else if (test_skip)
			printf("skip %s: %s\n", t->name, test_skip);
		else
			printf("ok %s\n", t->name);
		failed += test_failures > 0;
	}
	if (!ran)
		printf("not ok no test has this in its name: %s\n", argc > 1 ? argv[1] : "");
	printf("end %d\n", ran);
	return failed || !ran;
}

#endif
