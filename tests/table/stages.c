/* Table stages: expressions, where, let, sort, top, delta, share, joins. */
#include <math.h>

#include "made.h"
#include "func/func.h"
#include "func/rules.h"
#include "table/op.h"
#include "test.h"

static struct arena arena;

static struct tx *leaf(struct tx x)
{
	struct tx *p = arena_new(&arena, struct tx);

	*p = x;
	return p;
}

static struct tx *col(int i) { return leaf((struct tx){ .op = TX_COLUMN, .column = i }); }
static struct tx *lit(double x) { return leaf((struct tx){ .op = TX_NUMBER, .number = x }); }
static struct tx *txt(const char *s) { return leaf((struct tx){ .op = TX_TEXT, .text = s }); }

static struct tx *node(int op, const char *c_op, struct tx *a, struct tx *b, struct tx *c)
{
	struct tx *x = leaf((struct tx){ .op = (uint8_t)op, .type = type_int });

	x->kids = arena_array(&arena, struct tx *, 3);
	x->kids[0] = a;
	x->kids[1] = b;
	x->kids[2] = c;
	x->n_kids = 1 + !!b + !!c;
	x->c_op = (uint8_t)op_find(c_op, x->n_kids);
	return x;
}

static struct tx *bin(struct tx *a, const char *op, struct tx *b)
{
	return node(TX_BINARY, op, a, b, NULL);
}

static struct tx *of_func(const struct func_ops *f, struct tx x)
{
	x.op = TX_CALL;
	x.needs = (uint8_t)f->needs;
	x.value = f->value;
	return leaf(x);
}

static struct tx *call(const struct func_ops *f, struct tx *a, struct tx *b)
{
	return of_func(f, *node(TX_CALL, "", a, b, NULL));
}

/* count, time, comm: 1 10 b; 2 none a; big 0 c */
#define BIG 9007199254740993		/* 2^53 + 1 */

static struct table *sample(void)
{
	struct table *t = made(&arena, COLUMNS(VALUE("count", AN_INT), VALUE("time", AN_INT),
					       KEY("comm", A_COMM)), 3);

	made_row(&arena, t, INT_CELL(1), INT_CELL(10), TEXT_CELL("b"));
	made_row(&arena, t, INT_CELL(2), NONE_CELL, TEXT_CELL("a"));
	made_row(&arena, t, INT_CELL(BIG), INT_CELL(0), TEXT_CELL("c"));
	return t;
}

static struct cell let(struct table *t, struct tx *x, struct type type, int row)
{
	struct tstage s = { .kind = TS_LET, .expr = x, .column = { .name = "x", .type = type,
								     .role = COL_VALUE } };

	stages_run(&arena, &s, 1, t, NULL);
	return t->rows.v[row][t->n_columns - 1];
}

static double value(struct tx *x, int row)
{
	struct cell c = let(sample(), x, type_real, row);

	return c.kind == CELL_REAL ? c.r : NAN;
}

static bool none(struct tx *x, int row)
{
	return let(sample(), x, type_real, row).kind == CELL_NONE;
}

TEST(table_expr_arithmetic)
{
	CHECK(value(bin(col(0), "/", lit(4)), 0) == 0.25);
	CHECK(value(bin(lit(7), "%", lit(4)), 0) == 3);
	CHECK(value(bin(lit(-7), "%", lit(4)), 0) == -3);
	CHECK(value(bin(lit(6), "&", lit(3)), 0) == 2);
	CHECK(value(bin(lit(6), "|", lit(1)), 0) == 7);
	CHECK(value(bin(lit(6), "^", lit(3)), 0) == 5);
	CHECK(value(bin(lit(1), "<<", lit(10)), 0) == 1024);
	CHECK(value(bin(lit(1024), ">>", lit(3)), 0) == 128);
	CHECK(value(bin(lit(-7), ">>", lit(1)), 0) == -4);
	CHECK(value(node(TX_UNARY, "-", lit(3), NULL, NULL), 0) == -3);
	CHECK(value(node(TX_UNARY, "~", lit(0), NULL, NULL), 0) == -1);
	CHECK(value(node(TX_UNARY, "!", lit(0), NULL, NULL), 0) == 1);
	CHECK(value(call(&func_min, col(0), col(1)), 0) == 1);
	CHECK(value(call(&func_max, col(0), col(1)), 0) == 10);
	CHECK(value(call(&func_abs, lit(-2.5), NULL), 0) == 2.5);
	CHECK(value(node(TX_COND, "", lit(1), lit(5), lit(6)), 0) == 5);
	CHECK(value(node(TX_COND, "", lit(0), lit(5), lit(6)), 0) == 6);
}

TEST(table_expr_none)
{
	CHECK(none(bin(lit(0), "/", lit(0)), 0));
	CHECK(none(bin(lit(1), "/", lit(0)), 0));
	CHECK(none(bin(lit(1), "%", lit(0)), 0));
	CHECK(none(bin(lit(1e308), "&", lit(1)), 0));
	CHECK(none(bin(col(1), "+", lit(1)), 1));
	CHECK(none(call(&func_max, col(1), lit(1)), 1));
	CHECK(none(node(TX_UNARY, "-", col(1), NULL, NULL), 1));
	CHECK(value(node(TX_UNARY, "!", col(1), NULL, NULL), 1) == 1);
	CHECK(value(node(TX_COND, "", col(1), lit(1), lit(2)), 1) == 2);
	CHECK(value(bin(col(1), "==", col(1)), 1) == 0);
	CHECK(value(bin(col(1), "!=", lit(1)), 1) == 0);
	CHECK(value(bin(col(1), "<", lit(1)), 1) == 0);
	CHECK(value(bin(col(1), ">=", lit(1)), 1) == 0);
	CHECK(value(bin(bin(lit(0), "/", lit(0)), "||", lit(1)), 0) == 1);
	CHECK(none(bin(txt("a"), "+", lit(1)), 0));
}

TEST(table_expr_text)
{
	struct tx *m = node(TX_MATCH, "", col(2), NULL, NULL);

	m->text = "[ab]";
	CHECK(value(m, 0) == 1);
	CHECK(value(m, 2) == 0);
	CHECK(value(bin(col(2), "==", txt("b")), 0) == 1);
	CHECK(value(bin(col(2), "!=", txt("b")), 0) == 0);
	CHECK(value(bin(col(2), "<", txt("bb")), 0) == 1);
	CHECK(value(bin(col(2), "==", lit(1)), 0) == 0);
	CHECK(value(node(TX_IN, "", col(2), txt("x"), txt("b")), 0) == 1);
	CHECK(value(node(TX_IN, "", col(2), txt("x"), txt("b")), 1) == 0);
	CHECK(value(node(TX_IN, "", col(1), lit(1), NULL), 1) == 0);
}

TEST(table_expr_enum_by_name)
{
	struct table *t = made(&arena, COLUMNS(VALUE("state", .kind = TY_ENUM, .size = 8,
						     .en = &task_state_enum)), 1);

	made_row(&arena, t, INT_CELL(STATE_DISK));
	CHECK(let(t, bin(col(0), "==", txt("disk")), type_int, 0).i == 1);
	CHECK(let(t, bin(col(0), "==", txt("idle")), type_int, 0).i == 0);
}

TEST(table_expr_exact_integers)
{
	/* 2^53 + 1 is not a double */
	CHECK_EQ(let(sample(), bin(col(0), "+", lit(0)), type_int, 2).i, BIG);
	CHECK(value(bin(col(0), "==", lit(9007199254740992.0)), 2) == 0);
	struct table *t = made(&arena, COLUMNS(VALUE("u", .kind = TY_INT, .size = 8)), 1);

	made_row(&arena, t, INT_CELL(UINT64_MAX));
	CHECK_EQ(let(t, bin(col(0), "-", lit(1)), type_uint, 0).i, -2);
	CHECK(let(t, bin(col(0), ">", lit(0)), type_int, 0).i == 1);
}

TEST(table_expr_result_type)
{
	CHECK_EQ(let(sample(), bin(lit(3), "/", lit(2)), type_int, 0).kind, CELL_REAL);
	CHECK_EQ(let(sample(), bin(lit(4), "/", lit(2)), type_int, 0).kind, CELL_INT);
	CHECK_EQ(let(sample(), bin(lit(4), "/", lit(2)), type_real, 0).kind, CELL_REAL);
	CHECK_EQ(let(sample(), txt("x"), (struct type){ .kind = TY_STRING }, 0).kind, CELL_BYTES);
}

static double fake_meminfo(void *self, const char *name)
{
	(void)self;
	return strcmp(name, "Cached") ? -1 : 4096;
}

TEST(table_expr_env_meminfo)
{
	struct stage_env env = { .meminfo = fake_meminfo };
	struct table *t = sample();
	struct tstage s[] = {
		{ .kind = TS_LET, .expr = of_func(&func_env, (struct tx){ .text = "CULPRIT_X" }) },
		{ .kind = TS_LET, .expr = of_func(&func_env, (struct tx){ .text = "CULPRIT_Y" }) },
		{ .kind = TS_LET, .expr = of_func(&func_meminfo, (struct tx){ .text = "Cached" }) },
		{ .kind = TS_LET, .expr = of_func(&func_meminfo, (struct tx){ .text = "Nope" }) },
	};

	setenv("CULPRIT_X", "12.5", 1);
	unsetenv("CULPRIT_Y");
	for (int i = 0; i < 4; i++)
		s[i].column = (struct column){ .name = "x", .type = type_real };
	stages_run(&arena, s, 4, t, &env);
	CHECK(t->rows.v[0][3].r == 12.5);
	CHECK_EQ(t->rows.v[0][4].kind, CELL_NONE);
	CHECK(t->rows.v[0][5].r == 4096);
	CHECK_EQ(t->rows.v[0][6].kind, CELL_NONE);
	CHECK_EQ(t->n_columns, 7);
}

static void sort(struct table *t, int kind, int by, bool down, int64_t n)
{
	struct tstage s = { .kind = (uint8_t)kind, .by = by, .descending = down, .n = n };

	stages_run(&arena, &s, 1, t, NULL);
}

static struct table *many(int n)
{
	struct table *t = made(&arena, COLUMNS(KEY("k", AN_INT), VALUE("v", AN_INT)), 2);
	uint32_t x = 12345;

	for (int i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		made_row(&arena, t, INT_CELL(x >> 8), INT_CELL((x >> 3) % 7));
	}
	return t;
}

TEST(table_sort_ties_by_key)
{
	for (int n = 0; n < 70; n++) {
		struct table *t = many(n);

		sort(t, TS_SORT, 1, true, 0);
		CHECK_EQ(t->rows.n, n);
		for (int i = 1; i < n; i++) {
			int64_t a = t->rows.v[i - 1][1].i, b = t->rows.v[i][1].i;

			CHECK(a > b || (a == b && t->rows.v[i - 1][0].i <= t->rows.v[i][0].i));
		}
	}
}

TEST(table_sort_exact_and_none)
{
	struct table *t = made(&arena, COLUMNS(VALUE("v", AN_INT)), 1);

	made_row(&arena, t, INT_CELL(BIG));
	made_row(&arena, t, NONE_CELL);
	made_row(&arena, t, INT_CELL(BIG - 1));
	made_row(&arena, t, INT_CELL(-5));
	sort(t, TS_SORT, 0, false, 0);
	CHECK_EQ(t->rows.v[0][0].kind, CELL_NONE);
	CHECK_EQ(t->rows.v[1][0].i, -5);
	CHECK_EQ(t->rows.v[2][0].i, BIG - 1);
	sort(t, TS_SORT, 0, true, 0);
	CHECK_EQ(t->rows.v[0][0].i, BIG);
	CHECK_EQ(t->rows.v[3][0].kind, CELL_NONE);
}

TEST(table_sort_unsigned)
{
	struct table *t = made(&arena, COLUMNS(VALUE("v", .kind = TY_INT, .size = 8)), 1);

	made_row(&arena, t, INT_CELL(-1));
	made_row(&arena, t, INT_CELL(1));
	sort(t, TS_SORT, 0, false, 0);
	CHECK_EQ(t->rows.v[0][0].i, 1);
}

TEST(table_top_keeps_other)
{
	struct table *t = many(10);

	made_row(&arena, t, NONE_CELL, INT_CELL(1000000));
	t->other = true;
	sort(t, TS_TOP, 1, false, 3);
	CHECK_EQ(t->rows.n, 4);
	CHECK_EQ(t->rows.v[3][1].i, 1000000);
	CHECK(t->other);
	CHECK(t->rows.v[0][1].i >= t->rows.v[2][1].i);
	sort(t, TS_TOP, 1, false, 0);
	CHECK_EQ(t->rows.n, 1);
	t = many(3);
	sort(t, TS_TOP, 1, false, 10);
	CHECK_EQ(t->rows.n, 3);
}

TEST(table_where)
{
	struct table *t = sample();
	struct tstage s = { .kind = TS_WHERE, .expr = bin(col(1), ">=", lit(0)) };

	t->other = true;
	stages_run(&arena, &s, 1, t, NULL);
	CHECK_EQ(t->rows.n, 2);
	CHECK(t->other);
	s.expr = bin(col(0), "<", lit(100));
	stages_run(&arena, &s, 1, t, NULL);
	CHECK_EQ(t->rows.n, 1);
	CHECK(!t->other);
	s.expr = lit(0);
	stages_run(&arena, &s, 1, t, NULL);
	stages_run(&arena, &s, 1, t, NULL);
	CHECK_EQ(t->rows.n, 0);
}

TEST(table_share)
{
	struct table *t = many(4);
	struct tx *x = of_func(&func_share, (struct tx){ .column = 1 });
	double sum = 0;
	struct cell c = let(t, x, (struct type){ .kind = TY_SHARE, .is_signed = true }, 0);

	CHECK_EQ(c.kind, CELL_REAL);
	for (int i = 0; i < 4; i++)
		sum += t->rows.v[i][2].r;
	CHECK(sum > 0.999 && sum < 1.001);
	t = made(&arena, COLUMNS(VALUE("v", AN_INT)), 1);
	made_row(&arena, t, INT_CELL(0));
	x->column = 0;
	CHECK_EQ(let(t, x, type_real, 0).kind, CELL_NONE);
}

static struct table *keyed(int64_t k, int64_t v)
{
	struct table *t = made(&arena, COLUMNS(KEY("k", AN_INT), VALUE("v", AN_INT)), 2);

	made_row(&arena, t, INT_CELL(7), INT_CELL(1));
	made_row(&arena, t, INT_CELL(k), INT_CELL(v));
	return t;
}

TEST(table_delta)
{
	struct stage_memory *m = stage_memory_open();
	struct stage_env env = { .memory = m };
	struct tstage s = { .kind = TS_LET, .expr = of_func(&func_delta, (struct tx){ .column = 1 }),
			    .column = { .name = "d", .type = type_int } };
	struct table *t = keyed(1, 100);

	stages_run(&arena, &s, 1, t, &env);
	CHECK_EQ(t->rows.v[1][2].i, 100);	/* from 0: deltas add up to the total */
	stages_run(&arena, &s, 1, t = keyed(1, 130), &env);
	CHECK_EQ(t->rows.v[0][2].i, 0);
	CHECK_EQ(t->rows.v[1][2].i, 30);
	stages_run(&arena, &s, 1, t = keyed(2, 500), &env);
	CHECK_EQ(t->rows.v[1][2].i, 500);
	stages_run(&arena, &s, 1, t = keyed(1, 10), &env);	/* forgotten meanwhile */
	CHECK_EQ(t->rows.v[1][2].i, 10);
	stages_run(&arena, &s, 1, t = keyed(1, 4), &env);
	CHECK_EQ(t->rows.v[1][2].i, -6);
	stage_memory_close(m);
	stages_run(&arena, &s, 1, t = keyed(1, 4), NULL);
	CHECK_EQ(t->rows.v[1][2].kind, CELL_NONE);
}

/* A row that a stage before has left out is remembered, too. */
TEST(table_delta_of_all_rows)
{
	struct stage_memory *m = stage_memory_open();
	struct stage_env env = { .memory = m };
	struct tstage s[] = {
		{ .kind = TS_WHERE, .expr = bin(col(1), ">", lit(50)) },
		{ .kind = TS_LET, .expr = of_func(&func_delta, (struct tx){ .column = 1 }),
		  .column = { .name = "d", .type = type_int } },
	};
	struct table *t = keyed(1, 40);

	stages_run(&arena, s, 2, t, &env);
	CHECK_EQ(t->rows.n, 0);
	stages_run(&arena, s, 2, t = keyed(1, 60), &env);
	REQUIRE(t->rows.n == 1);
	CHECK_EQ(t->rows.v[0][2].i, 20);
	stage_memory_close(m);
}

/* ---- joins ---- */

TEST(table_join_outer)
{
	struct table *a = made(&arena, COLUMNS(KEY("k", A_COMM), VALUE("count", AN_INT)), 2);
	struct table *b = made(&arena, COLUMNS(KEY("k2", A_COMM), VALUE("n", AN_INT),
					       VALUE("max", AN_INT)), 3);
	const bool zero_a[] = { false, true }, zero_b[] = { false, true, false };
	const bool *zero[] = { zero_a, zero_b };
	struct table *in[] = { a, b }, *j;

	a->name = "total";
	b->name = "misses";
	made_row(&arena, a, TEXT_CELL("x"), INT_CELL(1));
	made_row(&arena, a, TEXT_CELL("y"), INT_CELL(2));
	made_row(&arena, a, NONE_CELL, INT_CELL(3));
	a->other = true;
	made_row(&arena, b, TEXT_CELL("y"), INT_CELL(4), INT_CELL(5));
	made_row(&arena, b, TEXT_CELL("z"), INT_CELL(6), INT_CELL(7));
	j = table_join(&arena, in, 2, zero);
	CHECK_EQ(j->n_columns, 4);
	CHECK_STR(j->columns[0].name, "k");
	CHECK_STR(j->columns[1].name, "total");
	CHECK_STR(j->columns[2].name, "misses.n");
	CHECK_STR(j->columns[3].name, "misses.max");
	REQUIRE(j->rows.n == 4);
	CHECK_EQ(j->rows.v[0][2].i, 0);
	CHECK_EQ(j->rows.v[0][2].kind, CELL_INT);
	CHECK_EQ(j->rows.v[0][3].kind, CELL_NONE);
	CHECK_EQ(j->rows.v[1][1].i, 2);
	CHECK_EQ(j->rows.v[1][3].i, 5);
	CHECK_EQ(j->rows.v[2][1].i, 0);
	CHECK_EQ(j->rows.v[2][2].i, 6);
	CHECK(j->other);
	CHECK_EQ(j->rows.v[3][0].kind, CELL_NONE);
	CHECK_EQ(j->rows.v[3][1].i, 3);
}

TEST(table_join_without_keys)
{
	struct table *a = made(&arena, COLUMNS(VALUE("count", AN_INT)), 1);
	struct table *b = made(&arena, COLUMNS(VALUE("count", AN_INT)), 1);
	struct table *in[] = { a, b }, *j;

	a->name = "a";
	b->name = "b";
	made_row(&arena, a, INT_CELL(1));
	made_row(&arena, b, INT_CELL(2));
	j = table_join(&arena, in, 2, NULL);
	CHECK_EQ(j->rows.n, 1);
	CHECK_EQ(j->rows.v[0][0].i, 1);
	CHECK_EQ(j->rows.v[0][1].i, 2);
	CHECK_STR(j->columns[1].name, "b");
}

/* Each table numbers its own events. */
TEST(table_join_events_by_name)
{
	struct enum_value one[] = { { "read", 0 }, { "write", 1 } };
	struct enum_value two[] = { { "open", 0 }, { "read", 1 }, { "close", 2 } };
	struct enum_desc en1 = { "event", one, 2 }, en2 = { "event", two, 3 };
	struct table *a = made(&arena, COLUMNS(KEY("event", .kind = TY_EVENT, .en = &en1),
					       VALUE("c", AN_INT)), 2);
	struct table *b = made(&arena, COLUMNS(KEY("event", .kind = TY_EVENT, .en = &en2),
					       VALUE("c", AN_INT)), 2);
	struct table *in[] = { a, b }, *j;

	a->name = "a";
	b->name = "b";
	made_row(&arena, a, INT_CELL(0), INT_CELL(10));
	made_row(&arena, a, INT_CELL(1), INT_CELL(11));
	made_row(&arena, b, INT_CELL(1), INT_CELL(20));
	made_row(&arena, b, INT_CELL(2), INT_CELL(21));
	j = table_join(&arena, in, 2, NULL);
	REQUIRE(j->rows.n == 3);
	CHECK_EQ(j->rows.v[0][2].i, 20);
	CHECK_STR(enum_name(j->columns[0].type.en, j->rows.v[0][0].i), "read");
	CHECK_STR(enum_name(j->columns[0].type.en, j->rows.v[1][0].i), "write");
	CHECK_STR(enum_name(j->columns[0].type.en, j->rows.v[2][0].i), "close");
	CHECK_EQ(j->rows.v[2][1].kind, CELL_NONE);
}

/* ---- text of cells ---- */

static const char *text(struct type t, const char *p, int n)
{
	static struct buf b;
	struct cell c = { .kind = CELL_BYTES, .bytes = { p, n } };

	buf_clear(&b);
	cell_text(&b, &t, &c);
	return b.p ? b.p : "";
}

TEST(table_cell_text)
{
	struct type ip = { .kind = TY_IP };

	CHECK_STR(text(ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1", 16), "127.0.0.1");
	CHECK_STR(text(ip, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16), "::1");
	CHECK_STR(text(ip, "xx", 2), "?");
}
