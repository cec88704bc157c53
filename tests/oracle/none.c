/*
 * One meaning of none: each operator with none on either side, on both and on neither, asked of rows
 * and of a table's stages, which must say the same.
 *
 * In the events a field is missing; in the table the column that is its last value is none.
 */
#include "oracle/ask.h"
#include "table/op.h"
#include "test.h"

static const char events[] =
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

static const char sources[] = "x:both, x:first, x:second, x:neither";
static const char columns[] = "n = last(n), m = last(m), s = last(s), t = last(t)";

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

static struct answer answer(struct arena *a, const char *program)
{
	struct buf made = { 0 };
	struct world world = { .made = &made, .whole = true };
	struct ask how = { .program = program };
	struct answer got;

	buf_puts(&made, events);
	got = ask(a, &world, &how);
	buf_fini(&made);
	return got;
}

/* Lines of `key,value`. */
static struct answer in_rows(struct arena *a, const char *expr)
{
	return answer(a, arena_printf(a, "%s | let is = %s | print key, is", sources, expr));
}

static struct answer in_table(struct arena *a, const char *expr)
{
	return answer(a, arena_printf(a, "%s | %s by key | let is = %s | print key, is", sources, columns, expr));
}

static bool is_told(struct arena *a, const char *expr, const struct answer *rows, const struct answer *table)
{
	if (rows->mistake || table->mistake)
		TEST_FAIL("%s: rows: %s; table: %s", expr, rows->mistake ? rows->mistake : "",
			  table->mistake ? table->mistake : "");
	else if (rows->lines.n != KEYS || table->lines.n != KEYS)
		TEST_FAIL("%s: %d and %d lines", expr, rows->lines.n, table->lines.n);
	else
		return true;
	return false;
}

/* Both kinds of stage say the same of the expression in each row; of the table's they are. */
static struct answer same(struct arena *a, const char *expr)
{
	struct answer rows = in_rows(a, expr), table = in_table(a, expr);

	if (!is_told(a, expr, &rows, &table))
		return (struct answer){ .mistake = "other rows" };
	for (int i = 0; i < KEYS; i++)
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

/* Each operator there is, alone and as a condition. What is divided by 0 is none in tables only. */
TEST(none_each_operator)
{
	for (int i = 0; i < OPS; i++) {
		struct arena a = { 0 };
		const char *expr = with_both(&a, &op_table[i]);

		same(&a, expr);
		same(&a, arena_printf(&a, "!(%s)", expr));
		same(&a, arena_printf(&a, "(%s) ? 1 : 2", expr));
		arena_fini(&a);
	}
}

TEST(none_each_truth)
{
	for (size_t i = 0; i < sizeof(truths) / sizeof(*truths); i++) {
		struct arena a = { 0 };
		struct answer got = same(&a, truths[i].text);

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
		const char *expr = truths[i].text;
		struct answer rows = answer(&a, arena_printf(&a, "%s | where %s | print key", sources, expr));
		struct answer table = answer(&a, arena_printf(&a, "%s | %s by key | where %s | print key", sources,
							      columns, expr));

		CHECK_EQ(rows.lines.n, table.lines.n);
		for (int k = 0; k < rows.lines.n && k < table.lines.n; k++)
			CHECK_STR(rows.lines.v[k], table.lines.v[k]);
		arena_fini(&a);
	}
}
