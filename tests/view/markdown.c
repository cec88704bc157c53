/* Tables for tickets: what is markup is no markup in a cell, and a block of code ends where it should. */
#include "../table/made.h"
#include "shown.h"
#include "test.h"
#include "view/format.h"

static struct arena arena;

static struct sink_query query_of(const struct table *t, int index)
{
	return (struct sink_query){ .index = index, .n_columns = t->n_columns, .columns = t->columns, .is_table = true };
}

static const char *escaped(const char *text)
{
	struct buf b = { 0 };
	char *copy;

	escape_markdown(&b, text, (int)strlen(text));
	copy = arena_strdup(&arena, b.p ? b.p : "");
	buf_fini(&b);
	return copy;
}

TEST(markdown_escapes)
{
	CHECK_STR(escaped(""), "");
	CHECK_STR(escaped("kworker/0-evt, 5% (idle) \u00b5"), "kworker/0-evt, 5% (idle) \u00b5");
	CHECK_STR(escaped("__x64_sys_read"), "`__x64_sys_read`");
	CHECK_STR(escaped("a|b"), "`a\\|b`");
	CHECK_STR(escaped("\\\\|"), "`\\\\\\|`");
	CHECK_STR(escaped("a`b``c"), "```a`b``c```");
	CHECK_STR(escaped("`x"), "`` `x ``");
	CHECK_STR(escaped(" *x"), "`  *x `");
	CHECK_STR(escaped("<b>"), "`<b>`");
	CHECK_STR(escaped("@someone"), "`@someone`");
	CHECK_STR(escaped("#123"), "`#123`");
}

TEST(markdown_table)
{
	struct table *t = made(&arena, COLUMNS(KEY("comm", A_COMM), KEY("fd", AN_INT),
					       VALUE("p99(duration)", A_DURATION), VALUE("bytes", .kind = TY_SIZE)), 4);
	struct sink_query q = query_of(t, 0);
	struct shown s;

	t->columns[2].error = 0.0625;
	made_row(&arena, t, TEXT_CELL("a|b"), INT_CELL(-3), INT_CELL(1234567), INT_CELL(4096));
	made_row(&arena, t, TEXT_CELL("(other)"), NONE_CELL, NONE_CELL, INT_CELL(1));
	made_row(&arena, t, NONE_CELL, NONE_CELL, INT_CELL(1), INT_CELL(2));
	t->other = true;
	shown_open(&s, &view_markdown, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.table(s.view, &q, t);
	s.ops->sink.table(s.view, &q, t);
#define TABLE "| COMM | FD | P99(DURATION)(us)\u00b16.25% | BYTES |\n| --- | ---: | ---: | ---: |\n" \
	"| `a\\|b` | -3 | 1234.567 | 4096 |\n| `\\x28other)` | - | - | 1 |\n| (other) | - | 0.001 | 2 |\n"
	CHECK_STR(shown_text(&s), TABLE "\n" TABLE);
	shown_close(&s);

	t->rows.n = 1;
	t->other = false;
	shown_open(&s, &view_markdown, 100);		/* a terminal: each value has its unit */
	s.o.timestamp = true;
	shown_start(&s);
	t->end_ns = 1000000000000000000;
	s.ops->sink.table(s.view, &q, t);
	CHECK_STR(shown_text(&s), "| TIME | COMM | FD | P99(DURATION)\u00b16.25% | BYTES |\n"
				  "| --- | --- | ---: | ---: | ---: |\n"
				  "| 01:46:40.000 | `a\\|b` | -3 | 1.2 ms | 4.0 KiB |\n");
	shown_close(&s);
}

/* One header above the lines of an interval's few numbers, and of rows; again after another query's. */
TEST(markdown_header_once)
{
	struct table *t = made(&arena, COLUMNS(VALUE("count", AN_INT)), 1);
	struct sink_query q = query_of(t, 0), other = query_of(t, 1);
	const struct cell cell = INT_CELL(5);
	struct shown s;

	q.has_interval = true;
	other.is_table = false;
	made_row(&arena, t, INT_CELL(1));
	shown_open(&s, &view_markdown, 0);
	shown_start(&s);
	s.ops->sink.table(s.view, &q, t);
	s.ops->sink.table(s.view, &q, t);
	s.ops->sink.row(s.view, &other, 0, &cell);
	s.ops->sink.row(s.view, &other, 0, &cell);
	s.ops->sink.table(s.view, &q, t);
	CHECK_STR(shown_text(&s), "| COUNT |\n| ---: |\n| 1 |\n| 1 |\n\n| COUNT |\n| ---: |\n| 5 |\n| 5 |\n\n"
				  "| COUNT |\n| ---: |\n| 1 |\n");
	shown_close(&s);
}

TEST(markdown_histogram)
{
	struct hist h = { .n = 1, .rows = (struct hist_row[]){ { 2, 3, 7 } } };
	struct table *t = made(&arena, COLUMNS(KEY("comm", A_COMM), VALUE("hist(x)", .kind = TY_HIST, .of = TY_INT)), 2);
	struct table *plain = made(&arena, COLUMNS(VALUE("count", AN_INT)), 1);
	struct sink_query q = query_of(t, 0), q1 = query_of(plain, 1);
	const struct loss loss = { LOSS_DROPPED, "rows found the table full", 2, true, 0 };
	struct shown s;

	made_row(&arena, t, TEXT_CELL("```"), HIST_CELL(&h));
	made_row(&arena, plain, INT_CELL(1));
	shown_open(&s, &view_markdown, 0);
	s.o.color = true;
	shown_start(&s);
	s.ops->sink.table(s.view, &q, t);
	s.ops->sink.table(s.view, &q1, plain);
	s.ops->sink.losses(s.view, &loss, 1);
	s.ops->close(s.view);
	fflush(s.o.out);
	CHECK_STR(s.text, "````\ncomm = ```\n     x                   : count     distribution\n"
		"         0 -> 1          : 0        |                                        |\n"
		"         2 -> 3          : 7        |****************************************|\n````\n\n"
		"| COUNT |\n| ---: |\n| 1 |\n\n"
		"```\nculprit: 2 rows found the table full (dropped)\n"
		"help: `culprit help losses` says what each means for the answer\n```\n");
	fclose(s.o.out);
	free(s.text);
}

/* Lines in the user's own format stream into one block; a fence among them begins a longer one. */
TEST(markdown_own_format)
{
	const struct column c[] = { VALUE("comm", A_COMM) };
	struct sink_query q = { .n_columns = 1, .columns = c, .format = "%s\n" };
	struct cell cells[] = { TEXT_CELL("a"), TEXT_CELL("````") };
	struct shown s;

	shown_open(&s, &view_markdown, 0);
	shown_start(&s);
	s.ops->sink.row(s.view, &q, 0, &cells[0]);
	s.ops->sink.row(s.view, &q, 0, &cells[0]);
	s.ops->sink.row(s.view, &q, 0, &cells[1]);
	s.ops->close(s.view);
	fflush(s.o.out);
	CHECK_STR(s.text, "```\na\na\n```\n\n`````\n````\n`````\n");
	fclose(s.o.out);
	free(s.text);
}
