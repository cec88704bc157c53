/* Tokens: numbers with their units, names, strings, sources as they are written. */
#include <inttypes.h>

#include "lang/ast.h"
#include "lang/lex.h"
#include "test.h"

static struct token first(const char *text, bool source)
{
	struct lex l = { .text = str_of(text) };

	return source ? lex_source(&l) : lex_next(&l);
}

static void check_number(const char *text, int64_t want, int unit)
{
	struct token t = first(text, false);

	if (t.id != T_INT || t.number != want || t.unit != unit || t.n != (int)strlen(text))
		TEST_FAIL("%s: token %d, number %" PRId64 ", unit %d", text, t.id, t.number, t.unit);
}

TEST(lex_numbers)
{
	check_number("0", 0, UNIT_NONE);
	check_number("0644", 0644, UNIT_NONE);
	check_number("0xfF", 255, UNIT_NONE);
	check_number("0b101", 5, UNIT_NONE);
	check_number("9223372036854775807", INT64_MAX, UNIT_NONE);
	check_number("18446744073709551615", -1, UNIT_NONE);
	check_number("0xffffffffffffffff", -1, UNIT_NONE);
	check_number("10us", 10000, UNIT_DURATION);
	check_number("1.5ms", 1500000, UNIT_DURATION);
	check_number("0s", 0, UNIT_DURATION);
	check_number("4KiB", 4096, UNIT_SIZE);
	check_number("1MB", 1000000, UNIT_SIZE);
	check_number("1k", 1000, UNIT_SIZE);
	CHECK(first("0.5", false).id == T_REAL && first("0.5", false).real == 0.5);
	CHECK_EQ(first("12.x", false).n, 2);
}

TEST(lex_bad_numbers)
{
	static const char *const bad[] = {
		"08", "0x", "0xg", "0b2", "1e3", "10xs", "18446744073709551616", "0x10000000000000000",
		"0.1ns", "1.5B", "9999999999h", "1_000", "5sec",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (first(bad[i], false).id != T_BAD)
			TEST_FAIL("%s is a number", bad[i]);
}

static void check_text(const char *text, bool source, int id, const char *want)
{
	struct token t = first(text, source);

	if (t.id != id || !str_is(t.text, want))
		TEST_FAIL("'%s': token %d '%.*s', not %d '%s'", text, t.id, STR_ARG(t.text), id, want);
}

TEST(lex_words)
{
	check_text(" # a comment\n\t_a9 b", false, T_NAME, "_a9");
	check_text("p99.9(x)", false, T_NAME, "p99.9");
	check_text("p99.x", false, T_NAME, "p99");
	check_text("pa9.9", false, T_NAME, "pa9");
	check_text("`to`x", false, T_NAME, "to");
	check_text("$pid)", false, T_PARAM, "pid");
	check_text("\"a\\\"b\" c\"", false, T_STRING, "a\\\"b");
	check_text("<<=", false, T_SHL, "<<");
	check_text("||", false, T_OR, "||");
	check_text("`to", false, T_BAD, "`to");
	check_text("$1", false, T_BAD, "$1");
	check_text("\"a\\\"", false, T_BAD, "\"a\\\"");
	check_text("\"a\nb\"", false, T_BAD, "\"a");
	check_text("\xe2\x82\xac", false, T_BAD, "\xe2\x82\xac");
	check_text("", false, T_EOF, "");
}

TEST(lex_sources)
{
	check_text("vfs_read()|hist", true, T_SOURCE, "vfs_read()");
	check_text("vfs_read().return, x", true, T_SOURCE, "vfs_read().return");
	check_text("libc.so:malloc().return)", true, T_SOURCE, "libc.so:malloc().return");
	check_text("/usr/bin/a-b#c:d() |", true, T_SOURCE, "/usr/bin/a-b#c:d()");
	check_text("f(int)", true, T_SOURCE, "f");
	check_text("\"/opt/a b:f(int, x|y)\"().enter;", true, T_SOURCE, "\"/opt/a b:f(int, x|y)\"().enter");
	check_text("cpu@99hz\n", true, T_SOURCE, "cpu@99hz");
	check_text("*;", true, T_SOURCE, "*");
	check_text("| x", true, T_BAR, "|");
	check_text("(x", true, T_LPAREN, "(");
	check_text("\"/opt", true, T_BAD, "\"/opt");
}

TEST(lex_strings)
{
	struct arena a = { 0 };
	const char *why = NULL;

	CHECK(str_is(lex_unescape(&a, str_of("a\\n\\t\\\"\\\\\\x41\\e"), &why), "a\n\t\"\\A\033"));
	CHECK(!why);
	for (const char *const *p = (const char *const[]){ "\\q", "\\x4", "\\x00", "\\", NULL }; *p; p++) {
		why = NULL;
		lex_unescape(&a, str_of(*p), &why);
		CHECK(why);
	}
	CHECK(str_is(lex_unquote(&a, first("\"/opt/a \\\"b:f(int)\"().enter", true)), "/opt/a \"b:f(int)().enter"));
	arena_fini(&a);
}
