/*
 * What an expression says in rows and in a table's stages must be the same: each operator with none on
 * either side, on both and on neither; whole numbers of which the highest bit is set.
 *
 * Where the events lack a field, the column that is its last value is none.
 */
#include "oracle/ask.h"
#include "table/op.h"
#include "test.h"

static const char missing[] =
	"event x:both key:u32 n:s64 m:s64 s:string t:string\n"
	"event x:first key:u32 n:s64 s:string\n"
	"event x:second key:u32 m:s64 t:string\n"
	"event x:neither key:u32\n"
	"1 tid=1 x:both key=1 n=6 m=2 s=\"six\" t=\"two\"\n"
	"2 tid=1 x:first key=2 n=6 s=\"six\"\n"
	"3 tid=1 x:second key=3 m=2 t=\"two\"\n"
	"4 tid=1 x:neither key=4\n"
	"5 tid=1 x:both key=5 n=0 m=1 s=\"\" t=\"\"\n"
	"6 tid=1 x:first key=6 n=0 s=\"\"\n"
	"7 tid=1 x:second key=7 m=1 t=\"\"\n";
enum { KEYS = 7 };

/* What is none in which rows, as the first four keys have it: n and m, n, m, nothing. */
struct truth {
	const char *text;
	const char *values[4];
};

/* The words of docs/language.md: a comparison with none is false, and so is none as a condition;
 * any other operation with none is none. */
static const struct truth truths[] = {
	{ "n == m", { "false", "false", "false", "false" } },
	{ "n != m", { "true", "false", "false", "false" } },
	{ "n >= m", { "true", "false", "false", "false" } },
	{ "!(n >= m)", { "false", "true", "true", "true" } },
	{ "n + m", { "8", "", "", "" } },
	{ "n & m", { "2", "", "", "" } },
	{ "n << m", { "24", "", "", "" } },
	{ "-n", { "-6", "-6", "", "" } },
	{ "~n", { "-7", "-7", "", "" } },
	{ "!n", { "false", "false", "true", "true" } },
	{ "n && m", { "true", "false", "false", "false" } },
	{ "n || m", { "true", "true", "true", "false" } },
	{ "!(n && m)", { "false", "true", "true", "true" } },
	{ "n ? 1 : 2", { "1", "1", "2", "2" } },
	{ "n ? m : 7", { "2", "", "7", "7" } },
	{ "m ? 7 : n", { "7", "6", "7", "" } },
	{ "n in (6, 7)", { "true", "true", "false", "false" } },
	{ "!(n in (6, 7))", { "false", "false", "true", "true" } },
	{ "s == t", { "false", "false", "false", "false" } },
	{ "s != t", { "true", "false", "false", "false" } },
	{ "s ~ \"s*\"", { "true", "true", "false", "false" } },
	{ "!(s ~ \"s*\")", { "false", "false", "true", "true" } },
	{ "s in (\"six\")", { "true", "true", "false", "false" } },
	{ "min(n, m)", { "2", "", "", "" } },
	{ "max(n, m)", { "6", "", "", "" } },
	{ "abs(n)", { "6", "6", "", "" } },
};

/* What is asked, of which events; all have the key, and the columns are the last values. */
struct asked {
	struct arena *arena;
	const char *events, *sources, *columns;
	int keys;
};

static struct answer answer(const struct asked *of, const char *program)
{
	struct buf made = { 0 };
	struct world world = { .made = &made, .whole = true };
	struct ask how = { .program = program };
	struct answer got;

	buf_puts(&made, of->events);
	got = ask(of->arena, &world, &how);
	buf_fini(&made);
	return got;
}

/* Lines of `key,value`. */
static struct answer in_rows(const struct asked *of, const char *expr)
{
	return answer(of, arena_printf(of->arena, "%s | let is = %s | print key, is", of->sources, expr));
}

static struct answer in_table(const struct asked *of, const char *expr)
{
	return answer(of, arena_printf(of->arena, "%s | %s by key | let is = %s | print key, is", of->sources,
				       of->columns, expr));
}

static bool is_told(const struct asked *of, const char *expr, const struct answer *rows, const struct answer *table)
{
	if (rows->mistake || table->mistake)
		TEST_FAIL("%s: rows: %s; table: %s", expr, rows->mistake ? rows->mistake : "",
			  table->mistake ? table->mistake : "");
	else if (rows->lines.n != of->keys || table->lines.n != of->keys)
		TEST_FAIL("%s: %d and %d lines", expr, rows->lines.n, table->lines.n);
	else
		return true;
	return false;
}

/* Both kinds of stage say the same of the expression in each row; of the table's they are. */
static struct answer same(const struct asked *of, const char *expr)
{
	struct answer rows = in_rows(of, expr), table = in_table(of, expr);

	if (!is_told(of, expr, &rows, &table))
		return (struct answer){ .mistake = "other rows" };
	for (int i = 0; i < of->keys; i++)
		if (strcmp(rows.lines.v[i], table.lines.v[i]))
			TEST_FAIL("%s: %s in rows, %s in a table", expr, rows.lines.v[i], table.lines.v[i]);
	return table;
}

static const char *with_both(struct arena *a, const struct op *op)
{
	if (op->arity == 1)
		return arena_printf(a, "%sn", op->text);
	return arena_printf(a, op->class == CLASS_MATCH ? "s %s \"s*\"" : "(n %s m)", op->text);
}

static struct asked of_missing(struct arena *a)
{
	return (struct asked){ .arena = a, .events = missing, .sources = "x:both, x:first, x:second, x:neither",
			       .columns = "n = last(n), m = last(m), s = last(s), t = last(t)", .keys = 7 };
}

/* Each operator there is, alone and as a condition. What is divided by 0 is none in tables only. */
TEST(none_each_operator)
{
	for (int i = 0; i < OPS; i++) {
		struct arena a = { 0 };
		struct asked of = of_missing(&a);
		const char *expr = with_both(&a, &op_table[i]);

		same(&of, expr);
		same(&of, arena_printf(&a, "!(%s)", expr));
		same(&of, arena_printf(&a, "(%s) ? 1 : 2", expr));
		arena_fini(&a);
	}
}

TEST(none_each_truth)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++) {
		struct arena a = { 0 };
		struct asked of = of_missing(&a);
		struct answer got = same(&of, truths[i].text);

		for (int k = 0; k < 4 && !got.mistake; k++)
			CHECK_STR(got.lines.v[k], arena_printf(&a, "%d,%s", k + 1, truths[i].values[k]));
		arena_fini(&a);
	}
}

/* `where` keeps the same rows before and behind an aggregation. */
TEST(none_where)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++) {
		struct arena a = { 0 };
		struct asked of = of_missing(&a);
		struct answer rows = answer(&of, arena_printf(&a, "%s | where %s | print key", of.sources, truths[i].text));
		struct answer table = answer(&of, arena_printf(&a, "%s | %s by key | where %s | print key", of.sources,
							       of.columns, truths[i].text));

		CHECK_EQ(rows.lines.n, table.lines.n);
		for (int k = 0; k < rows.lines.n && k < table.lines.n; k++)
			CHECK_STR(rows.lines.v[k], table.lines.v[k]);
		arena_fini(&a);
	}
}

/* ---- 64 bits ---- */

static const char large[] =
	"event x:a key:u32 n:u64 m:u64 s:s64 h:u32\n"
	"1 tid=1 x:a key=1 n=18446744073709551615 m=9223372036854775808 s=-1 h=4294967295\n"
	"2 tid=1 x:a key=2 n=9223372036854775813 m=3 s=-9223372036854775808 h=0\n"
	"3 tid=1 x:a key=3 n=9223372036854775807 m=9223372036854775809 s=9223372036854775807 h=2147483648\n"
	"4 tid=1 x:a key=4 n=12297829382473034410 m=63 s=-6148914691236517206 h=2863311530\n";

static struct asked of_large(struct arena *a)
{
	return (struct asked){ .arena = a, .events = large, .sources = "x:a", .keys = 4,
			       .columns = "n = last(n), m = last(m), s = last(s), h = last(h)" };
}

/* Whole numbers that a program computes exactly, and real ones, too. */
static const char *const wholes[] = {
	"n", "(n | 1)", "n & 0xffffffffffffffff", "n & 0x8000000000000000", "~h", "~(n & m)", "n >> 63", "n >> 1 << 1",
	"s >> 60", "s << 1", "h << 32", "(n >> 1 | n << 63)", "n ^ 0xffffffffffffffff", "n % 10", "n % m", "n % 1000000007",
	"n == 18446744073709551615", "n > 9223372036854775807", "m >= 9223372036854775808", "n > m ? n : m",
	"min(n, m)", "max(n, m)", "(n >> 1) + (m >> 1) + 1", "(n >> 2) * 3", "n in (18446744073709551615, 9223372036854775813)",
	"-s - 1", "abs(s >> 1)", "(n & 1) == 1 && m > 3", "n >> (m & 63)", "1 << (m & 63) >> 1",
};

TEST(large_wholes)
{
	for (size_t i = 0; i < sizeof(wholes) / sizeof(*wholes); i++) {
		struct arena a = { 0 };
		struct asked of = of_large(&a);

		same(&of, wholes[i]);
		arena_fini(&a);
	}
}

/* Operators of bits and comparisons of any two of the fields. */
TEST(large_each_operator)
{
	static const char *const fields[] = { "n", "m", "s", "h" };

	for (int i = 0; i < OPS * 16; i++) {
		const struct op *op = &op_table[i / 16];
		const char *x = fields[i % 4], *y = fields[i / 4 % 4];
		bool is_negative = op->class == CLASS_COMPARE || op->class == CLASS_EQUAL;
		struct arena a = { 0 };
		struct asked of = of_large(&a);

		if (op->class == CLASS_ARITH || op->class == CLASS_MATCH || (is_negative && (*x == 's') != (*y == 's')))
			continue;	/* real in tables; a number below 0 beside one without a sign: both are asked in rows */
		same(&of, op->arity == 1 ? arena_printf(&a, "%s%s", op->text, x)
					 : arena_printf(&a, "(%s %s %s)", x, op->text, y));
		arena_fini(&a);
	}
}

/* Each over all four rows, and behind it as a column of the table. */
static const struct {
	const char *expr, *is;
} of_all[] = {
	{ "max(n)", "18446744073709551615" },
	{ "min(n)", "9223372036854775807" },
	{ "max(m)", "9223372036854775809" },
	{ "last(n)", "12297829382473034410" },
	{ "sum(n >> 2)", "12297829382473034409" },
	{ "sum(n)", "4.9191317529892135e+19" },
	{ "avg(m)", "4.611686018427388e+18" },
	{ "stddev(n)", "3.7654258663581604e+18" },
	{ "count where n > 9223372036854775807", "3" },
	{ "x = max(n) | let y = ~x | print y", "0" },
	{ "x = max(n) | let y = x >> 1 | print y", "9223372036854775807" },
	{ "x = max(n), y = min(m) | let z = (x & ~y) | print z", "18446744073709551612" },
	{ "hist(n)", "4611686018427387904-9223372036854775807:1 9223372036854775808-18446744073709551615:3" },
	{ "lhist(m, 0, 100, 50)", "0-49:1 50-99:1 100-18446744073709551615:2" },
	{ "count by n | where n > 9223372036854775808 | sort n | top 1 by -n", "9223372036854775813,1" },
	{ "count by b = bucket(n) | where b >= 9223372036854775808", "9223372036854775808,3" },
	{ "worst 2 by n print key, n", "1,18446744073709551615; 4,12297829382473034410" },
};

TEST(large_aggregations)
{
	for (size_t i = 0; i < sizeof(of_all) / sizeof(*of_all); i++) {
		struct arena a = { 0 };
		struct asked of = of_large(&a);
		struct answer got = answer(&of, arena_printf(&a, "x:a | %s", of_all[i].expr));
		const char *all = got.mistake ? got.mistake : "";

		for (int k = 0; k < got.lines.n; k++)
			all = arena_printf(&a, "%s%s%s", all, k ? "; " : "", got.lines.v[k]);
		if (strcmp(all, of_all[i].is))
			TEST_FAIL("%s: %s", of_all[i].expr, all);
		arena_fini(&a);
	}
}
