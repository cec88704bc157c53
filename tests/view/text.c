/* The text view: rows, tables, histograms by key, intervals, widths. */
#include "../table/made.h"
#include "shown.h"
#include "test.h"

static struct arena arena;

static const struct column row_columns[] = {
	VALUE("pid", .kind = TY_PID, .size = 4), VALUE("comm", A_COMM), VALUE("duration", A_DURATION),
	VALUE("str(filename)", .kind = TY_STRING, .bytes = 128),
};
static const struct sink_query rows_query = { .n_columns = 4, .columns = row_columns };

static void two_rows(struct shown *s)
{
	struct cell a[] = { INT_CELL(12), TEXT_CELL("bash"), INT_CELL(1234567), TEXT_CELL("/etc/passwd") };
	struct cell b[] = { INT_CELL(4194304), TEXT_CELL("a-much-longer-na"), NONE_CELL,
			    TEXT_CELL("/tmp/\033[31mred") };

	s->ops->sink.query(s->view, &rows_query);
	s->ops->sink.row(s->view, &rows_query, 0, a);
	s->ops->sink.row(s->view, &rows_query, 1500000000, b);
}

TEST(text_rows_pipe)
{
	struct shown s;

	shown_open(&s, &view_text, 0);
	shown_start(&s);
	two_rows(&s);
	CHECK_STR(shown_text(&s),
"PID     COMM             DURATION(us) STR(FILENAME)\n"
"12      bash                 1234.567 /etc/passwd\n"
"4194304 a-much-longer-na            - /tmp/\\x1b[31mred\n");
	shown_close(&s);
}

/* A letter of two bytes takes one place, and a right-hand column ends where its header does. */
TEST(text_rows_line_up_by_what_is_seen)
{
	struct table *t = made(&arena, COLUMNS(KEY("comm", A_COMM), VALUE("count", AN_INT),
					       VALUE("max(text)", A_COMM)), 3);
	struct cell row[] = { INT_CELL(12), TEXT_CELL("\u00e4\u00f6\u00fc"), INT_CELL(1000), TEXT_CELL("x") };
	struct sink_query q;
	struct shown s;

	made_row(&arena, t, TEXT_CELL("b\u00e4ume"), INT_CELL(7), TEXT_CELL("y"));
	made_row(&arena, t, TEXT_CELL("forests"), INT_CELL(123456), TEXT_CELL("z"));
	q = (struct sink_query){ .n_columns = t->n_columns, .columns = t->columns, .is_table = true };
	shown_open(&s, &view_text, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &rows_query);
	s.ops->sink.row(s.view, &rows_query, 0, row);
	s.ops->sink.table(s.view, &q, t);
	CHECK_STR(shown_text(&s),
"PID     COMM             DURATION(us) STR(FILENAME)\n"
"12      \u00e4\u00f6\u00fc                     1.000 x\n"
"\n"
"COMM      COUNT  MAX(TEXT)\n"
"b\u00e4ume         7  y\n"
"forests  123456  z\n");
	shown_close(&s);
}

TEST(text_rows_terminal)
{
	struct shown s;

	shown_open(&s, &view_text, 100);
	s.o.timestamp = true;
	s.o.color = true;
	shown_start(&s);
	two_rows(&s);
	CHECK_STR(shown_text(&s),
"\033[1mTIME         PID     COMM                 DURATION STR(FILENAME)\033[0m\n"
"01:46:40.000 12      bash                   1.2 ms /etc/passwd\n"
"01:46:41.500 4194304 a-much-longer-na            - /tmp/\\x1b[31mred\n");
	shown_close(&s);
}

#define PART_COLUMN(text, what, of) \
	{ .name = text, .part = what, .part_name = of, .role = COL_VALUE, \
	  .type = { .kind = what == PART_COUNT ? TY_INT : TY_DURATION, .is_signed = true, .size = 8 } }

static const struct column part_columns[] = {
	{ .name = "slow", .type = { .kind = TY_BOOL, .size = 1 }, .role = COL_KEY },
	VALUE("duration", A_DURATION),
	PART_COLUMN("disk.time", PART_TIME, "disk"), PART_COLUMN("disk.count", PART_COUNT, "disk"),
	PART_COLUMN("other", PART_OTHER, "other"), PART_COLUMN("overlap", PART_OVERLAP, "overlap"),
};

/* Percents are of times - overlap + other. */
TEST(text_parts_of_a_row)
{
	static const struct sink_query q = { .n_columns = 6, .columns = part_columns };
	struct cell a[] = { INT_CELL(1), INT_CELL(1000000), INT_CELL(900000), INT_CELL(3),
			    INT_CELL(350000), INT_CELL(250000) };
	struct shown s;

	shown_open(&s, &view_text, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.row(s.view, &q, 0, a);
	CHECK_STR(shown_text(&s),
"SLOW  DURATION(us)\n"
"true      1000.000\n"
"    disk      900.0 us  90.0%       3x |************************************    |\n"
"    other     350.0 us  35.0%          |**************                          |\n"
"    overlap  -250.0 us -25.0%          |                                        |\n");
	shown_close(&s);
}

#define BRIEF_COLUMN(text, what, of) \
	{ .name = text, .brief = what, .part_name = of, .role = COL_VALUE, \
	  .type = { .kind = what == PART_COUNT ? TY_INT : TY_DURATION, .is_signed = true, .size = 8 } }

/* Where people read one cell has all parts that have any time; a pipe has each in its column. */
TEST(text_parts_in_one_cell)
{
	static const struct column columns[] = {
		VALUE("duration", A_DURATION),
		BRIEF_COLUMN("running.time", PART_STATE, "running"), BRIEF_COLUMN("running.count", PART_COUNT, "running"),
		BRIEF_COLUMN("disk.time", PART_STATE, "disk"), BRIEF_COLUMN("disk.count", PART_COUNT, "disk"),
		BRIEF_COLUMN("sleeping.time", PART_STATE, "sleeping"), BRIEF_COLUMN("sleeping.count", PART_COUNT, "sleeping"),
		BRIEF_COLUMN("overlap", PART_OVERLAP, "overlap"),
		VALUE("next", A_DURATION),
	};
	static const struct sink_query q = { .n_columns = 9, .columns = columns };
	struct cell a[] = { INT_CELL(1000000), INT_CELL(100000), INT_CELL(1), INT_CELL(0), INT_CELL(0),
			    INT_CELL(1000000), INT_CELL(2), INT_CELL(100000), INT_CELL(5000) };
	struct cell none[] = { INT_CELL(0), INT_CELL(0), INT_CELL(0), INT_CELL(0), INT_CELL(0),
			       INT_CELL(0), INT_CELL(0), INT_CELL(0), INT_CELL(6000) };
	struct shown s;

	shown_open(&s, &view_text, 100);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.row(s.view, &q, 0, a);
	s.ops->sink.row(s.view, &q, 0, none);
	CHECK_STR(shown_text(&s),
"    DURATION PARTS                            NEXT\n"
"      1.0 ms sleeping 1.0 ms, running 100.0 us, overlap -100.0 us       5.0 us\n"
"        0 ns -                              6.0 us\n");
	shown_close(&s);
	shown_open(&s, &view_text, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.row(s.view, &q, 0, a);
	CHECK(strstr(shown_text(&s), "RUNNING.TIME(us) RUNNING.COUNT DISK.TIME(us)"));
	shown_close(&s);
}

/* Of two rows the second says how much more it is. */
TEST(text_parts_compared)
{
	static const struct sink_query q = { .n_columns = 6, .columns = part_columns, .is_table = true };
	struct cell a[] = { INT_CELL(0), INT_CELL(1000), INT_CELL(0), INT_CELL(0), INT_CELL(1000), NONE_CELL };
	struct cell b[] = { INT_CELL(1), INT_CELL(4000), INT_CELL(3500), REAL_CELL(1.5), INT_CELL(500), NONE_CELL };
	struct column columns[6];
	struct table t = { .columns = columns, .n_columns = 6 };
	struct shown s;

	memcpy(columns, part_columns, sizeof(columns));
	vec_push(&arena, &t.rows, a);
	vec_push(&arena, &t.rows, b);
	shown_open(&s, &view_text, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.table(s.view, &q, &t);
	CHECK_STR(shown_text(&s),
"\nslow = false\nduration = 1.0 us\n"
"    disk          0 ns   0.0%       0x |                                        |\n"
"    other       1.0 us 100.0%          |****************************************|\n"
"    overlap       0 ns   0.0%          |                                        |\n"
"\nslow = true\nduration = 4.0 us\n"
"    disk        3.5 us  87.5%    1.50x |***********************************     |   +3.5 us\n"
"    other       500 ns  12.5%          |*****                                   |   -500 ns\n"
"    overlap       0 ns   0.0%          |                                        |     +0 ns\n");
	shown_close(&s);
}

/* A sum has the mean, which is compared; states add up by themselves. */
TEST(text_parts_summed)
{
	static const struct column columns[] = {
		{ .name = "calls", .type = { .kind = TY_INT, .size = 8 }, .role = COL_VALUE, .of_parts = true },
		PART_COLUMN("sum(a.time)", PART_TIME, "a"), PART_COLUMN("sum(other)", PART_OTHER, "other"),
		PART_COLUMN("sum(running.time)", PART_STATE, "running"),
		PART_COLUMN("sum(disk.time)", PART_STATE, "disk"),	/* never: no line */
	};
	static const struct sink_query q = { .n_columns = 5, .columns = columns, .is_table = true };
	struct cell a[] = { INT_CELL(1), INT_CELL(1000), INT_CELL(3000), INT_CELL(4000), INT_CELL(0) };
	struct cell b[] = { INT_CELL(4), INT_CELL(6000), INT_CELL(2000), INT_CELL(8000), INT_CELL(0) };
	struct table t = { .columns = (struct column *)columns, .n_columns = 5 };
	struct shown s;

	vec_push(&arena, &t.rows, a);
	vec_push(&arena, &t.rows, b);
	shown_open(&s, &view_text, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.table(s.view, &q, &t);
	CHECK_STR(shown_text(&s),
"calls = 1\n"
"    a           1.0 us  25.0%          |**********                              |    1.0 us each\n"
"    other       3.0 us  75.0%          |******************************          |    3.0 us each\n"
"    running     4.0 us 100.0%          |****************************************|    4.0 us each\n"
"calls = 4\n"
"    a           6.0 us  75.0%          |******************************          |    1.5 us each   +500 ns\n"
"    other       2.0 us  25.0%          |**********                              |    500 ns each   -2.5 us\n"
"    running     8.0 us 100.0%          |****************************************|    2.0 us each   -2.0 us\n");
	shown_close(&s);
}

TEST(text_rows_wrap_the_last_column)
{
	struct cell a[] = { INT_CELL(12), TEXT_CELL("bash"), INT_CELL(1),
			    TEXT_CELL("0123456789abcdefghijklmnopqrstuvwxyz") };
	struct shown s;

	shown_open(&s, &view_text, 38 + 16);
	s.o.header = false;
	shown_start(&s);
	s.ops->sink.row(s.view, &rows_query, 0, a);
	CHECK_STR(shown_text(&s),
"12      bash                     1 ns 0123456789abcdef\n"
"                                      ghijklmnopqrstuv\n"
"                                      wxyz\n");
	shown_close(&s);
	shown_open(&s, &view_text, 38 + 15);	/* too narrow: left to the terminal */
	s.o.header = false;
	shown_start(&s);
	s.ops->sink.row(s.view, &rows_query, 0, a);
	CHECK_STR(shown_text(&s),
		  "12      bash                     1 ns 0123456789abcdefghijklmnopqrstuvwxyz\n");
	shown_close(&s);
}

TEST(text_rows_format)
{
	struct sink_query q = rows_query;
	struct shown s;

	q.format = "%d %-6s|%d %s";
	shown_open(&s, &view_text, 0);
	s.o.timestamp = true;
	shown_start(&s);
	s.ops->sink.row(s.view, &q, 0, (struct cell[]){ INT_CELL(1), TEXT_CELL("x"), INT_CELL(5),
						   TEXT_CELL("y") });
	CHECK_STR(shown_text(&s), "01:46:40.000 1 x     |5 y\n");
	shown_close(&s);
}

/* A query that prints the time itself has it once with -T, too. */
TEST(text_rows_with_own_time)
{
	const struct column columns[] = { VALUE("time", .kind = TY_TIME), VALUE("a", AN_INT) };
	struct sink_query q = { .n_columns = 2, .columns = columns };
	struct cell cells[] = { INT_CELL(1500000000), INT_CELL(1) };
	struct shown s;

	shown_open(&s, &view_text, 0);
	s.o.timestamp = true;
	shown_start(&s);
	s.ops->sink.row(s.view, &q, 7, cells);
	CHECK_STR(shown_text(&s), "TIME                A\n01:46:41.500        1\n");
	shown_close(&s);
}

TEST(text_rows_of_two_queries)
{
	const struct column one[] = { VALUE("a", AN_INT) };
	struct sink_query q = { .index = 1, .n_columns = 1, .columns = one };
	struct cell c = INT_CELL(1);
	struct shown s;

	shown_open(&s, &view_text, 0);
	shown_start(&s);
	two_rows(&s);
	s.ops->sink.row(s.view, &q, 0, &c);
	s.ops->sink.row(s.view, &q, 0, &c);
	CHECK(strstr(shown_text(&s), "mred\n       A\n       1\n       1\n"));
	shown_close(&s);
}

static struct table *counts(void)
{
	struct table *t = made(&arena, COLUMNS(KEY("event", A_COMM), VALUE("count", AN_INT),
					       VALUE("p99(duration)", A_DURATION),
					       VALUE("ratio", A_REAL)), 4);

	t->columns[2].error = 0.0625;
	made_row(&arena, t, TEXT_CELL("read"), INT_CELL(123456), INT_CELL(1500), REAL_CELL(0.5));
	made_row(&arena, t, NONE_CELL, INT_CELL(7), INT_CELL(2000000), NONE_CELL);
	return t;
}

static void show(struct shown *s, const struct table *t)
{
	struct sink_query q = { .n_columns = t->n_columns, .columns = t->columns, .is_table = true,
				.has_interval = true };

	s->ops->sink.table(s->view, &q, t);
}

TEST(text_table)
{
	struct table *t = counts();
	struct shown s;

	shown_open(&s, &view_text, 0);
	shown_start(&s);
	show(&s, t);
	t->other = true;
	t->end_ns = 3600000000000ull;
	show(&s, t);
	CHECK_STR(shown_text(&s),
"EVENT   COUNT  P99(DURATION)(us)\u00b16.25%   RATIO\n"
"read   123456                    1.500  0.5000\n"
"-           7                 2000.000       -\n"
"\n"
"EVENT     COUNT  P99(DURATION)(us)\u00b16.25%   RATIO\n"
"read     123456                    1.500  0.5000\n"
"(other)       7                 2000.000       -\n");
	shown_close(&s);
}

/* A few numbers an interval are a line each. */
TEST(text_table_lines)
{
	struct table *t = made(&arena, COLUMNS(VALUE("count", AN_INT), VALUE("p99(duration)", A_DURATION)), 2);
	struct shown s;

	made_row(&arena, t, INT_CELL(123456), INT_CELL(1500));
	t->end_ns = 3600000000000ull;
	shown_open(&s, &view_text, 0);
	s.o.timestamp = true;
	shown_start(&s);
	show(&s, t);
	t->end_ns = 3601000000000ull;
	show(&s, t);
	CHECK_STR(shown_text(&s),
"TIME            COUNT P99(DURATION)(us)\n"
"01:00:00.000   123456             1.500\n"
"01:00:01.000   123456             1.500\n");
	shown_close(&s);
}

TEST(text_table_terminal_and_time)
{
	struct table *t = counts();
	struct shown s;

	shown_open(&s, &view_text, 80);
	s.o.timestamp = true;
	t->end_ns = 3600000000000ull;
	shown_start(&s);
	show(&s, t);
	CHECK_STR(shown_text(&s),
"01:00:00\n"
"EVENT   COUNT  P99(DURATION)\u00b16.25%   RATIO\n"
"read   123456               1.5 us  0.5000\n"
"-           7               2.0 ms       -\n");
	shown_close(&s);
}

TEST(text_table_empty)
{
	struct table *t = counts();
	struct shown s;

	t->rows.n = 0;
	shown_open(&s, &view_text, 0);
	shown_start(&s);
	show(&s, t);
	CHECK_STR(shown_text(&s), "EVENT  COUNT  P99(DURATION)(us)\u00b16.25%  RATIO\n");
	shown_close(&s);
	shown_open(&s, &view_text, 0);
	s.o.header = false;
	shown_start(&s);
	show(&s, t);
	CHECK_STR(shown_text(&s), "");
	shown_close(&s);
}

static struct table *hists(int keys)
{
	static struct hist_row rows[] = { { 0, 1, 1 }, { 2, 3, 1 } };
	static const struct hist h = { .n = 2, .rows = rows };
	const struct column columns[] = { KEY("disk", A_COMM), KEY("flags", A_COMM),
					  VALUE("count", AN_INT), VALUE("avg(duration)", A_DURATION),
					  VALUE("hist(bytes)", .kind = TY_HIST) };
	struct cell cells[] = { TEXT_CELL("sda"), TEXT_CELL("Read"), INT_CELL(2), INT_CELL(1500),
				HIST_CELL(&h) };
	struct table *t = made(&arena, columns + 2 - keys, 3 + keys);

	made_row_(&arena, t, cells + 2 - keys);
	return t;
}

#define DRAWING \
"     bytes               : count     distribution\n" \
"         0 -> 1          : 1        |****************************************|\n" \
"         2 -> 3          : 1        |****************************************|\n"

TEST(text_hist)
{
	struct table *t = hists(2);
	struct shown s;

	shown_open(&s, &view_text, 0);
	shown_start(&s);
	show(&s, hists(0));
	show(&s, t);
	t->other = true;
	show(&s, t);
	CHECK_STR(shown_text(&s),
"count = 2, avg(duration) = 1.5 us\n" DRAWING
"\n\ndisk = sda, flags = Read\ncount = 2, avg(duration) = 1.5 us\n" DRAWING
"\n\n(other)\ncount = 2, avg(duration) = 1.5 us\n" DRAWING);
	shown_close(&s);
}

TEST(text_hist_none_and_several)
{
	struct table *t = made(&arena, COLUMNS(VALUE("hist(a)", .kind = TY_HIST),
					       VALUE("hist(b)", .kind = TY_HIST)), 2);
	struct shown s;

	made_row(&arena, t, NONE_CELL, NONE_CELL);
	shown_open(&s, &view_text, 0);
	shown_start(&s);
	show(&s, t);
	t->rows.n = 0;
	show(&s, t);
	CHECK_STR(shown_text(&s),
"hist(a):\n     a                   : no values\n"
"hist(b):\n     b                   : no values\n"
"\n(no rows)\n");
	shown_close(&s);
}

TEST(text_no_columns)
{
	struct table *t = made(&arena, NULL, 0);
	struct sink_query q = { .n_columns = 0 };
	struct shown s;

	shown_open(&s, &view_text, 80);
	shown_start(&s);
	made_row_(&arena, t, NULL);
	show(&s, t);
	s.ops->sink.row(s.view, &q, 0, NULL);
	CHECK_STR(shown_text(&s), "\n\n\n\n");
	shown_close(&s);
}
