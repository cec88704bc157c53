/* JSON lines, CSV, the registry, losses, and writes that fail. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "../table/made.h"
#include "shown.h"
#include "table/stack.h"
#include "test.h"
#include "view/format.h"
#include "view/losses.h"

static struct arena arena;

static struct table *sample(void)
{
	static struct hist_row rows[] = { { 0, 0, 1 }, { 1, HIST_ABOVE, 2 } };
	static const struct hist h = { .n = 2, .rows = rows };
	static struct enum_value v[] = { { "read", 0 } };
	static const struct enum_desc en = { "event", v, 1 };
	struct table *t = made(&arena, COLUMNS(
		KEY("event", .kind = TY_EVENT, .size = 8, .en = &en), KEY("comm", A_COMM),
		VALUE("duration", A_DURATION), VALUE("at", .kind = TY_TIME, .size = 8),
		VALUE("ratio", A_REAL), VALUE("ok", .kind = TY_BOOL, .size = 8),
		VALUE("dev", .kind = TY_DEVICE, .size = 4),
		VALUE("hist(duration)", .kind = TY_HIST, .of = TY_DURATION)), 8);

	t->columns[4].error = 0.0625;
	made_row(&arena, t, INT_CELL(0), TEXT_CELL("a,\"b\"\n\xff"), INT_CELL(1234567), INT_CELL(5),
		 REAL_CELL(0.1), INT_CELL(1), INT_CELL(8 << 20), HIST_CELL(&h));
	made_row(&arena, t, INT_CELL(7), TEXT_CELL(""), NONE_CELL, NONE_CELL,
		 REAL_CELL(__builtin_nan("")), NONE_CELL, INT_CELL(1), NONE_CELL);
	t->interval = 3;
	t->end_ns = 42;
	return t;
}

static struct sink_query query_of(const struct table *t, int index, bool is_table)
{
	return (struct sink_query){ .index = index, .n_columns = t->n_columns,
		.columns = t->columns, .is_table = is_table, .has_interval = is_table };
}

TEST(json_table)
{
	const struct loss losses[] = { { LOSS_DROPPED, "begins", 2, true, 0 }, { LOSS_LATE, "rows", 0, true, 0 },
				       { LOSS_DROPPED, "rows", 1, true, 0 } };
	struct table *t = sample();
	struct sink_query q = query_of(t, 0, true);
	struct shown s;

	shown_open(&s, &view_json, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	t->other = true;
	s.ops->sink.table(s.view, &q, t);
	s.ops->sink.losses(s.view, losses, 3);
	CHECK_STR(shown_text(&s),
"{\"schema\":\"culprit/1\",\"title\":\"test\",\"query\":0,\"kind\":\"table\",\"columns\":["
"{\"name\":\"event\",\"type\":\"event\",\"role\":\"key\"},"
"{\"name\":\"comm\",\"type\":\"string\",\"role\":\"key\"},"
"{\"name\":\"duration\",\"type\":\"duration\",\"unit\":\"ns\",\"role\":\"value\"},"
"{\"name\":\"at\",\"type\":\"time\",\"unit\":\"ns\",\"role\":\"value\"},"
"{\"name\":\"ratio\",\"type\":\"real\",\"role\":\"value\",\"error\":0.0625},"
"{\"name\":\"ok\",\"type\":\"bool\",\"role\":\"value\"},"
"{\"name\":\"dev\",\"type\":\"device\",\"role\":\"value\"},"
"{\"name\":\"hist(duration)\",\"type\":\"histogram\",\"unit\":\"ns\",\"role\":\"value\"}]}\n"
"{\"interval\":3,\"event\":\"read\",\"comm\":\"a,\\\"b\\\"\\n\\uefff\",\"duration\":1234567,"
"\"at\":1000000000000000005,\"ratio\":0.1,\"ok\":true,\"dev\":\"sda\","
"\"hist(duration)\":[{\"lo\":0,\"hi\":0,\"count\":1},{\"lo\":1,\"hi\":null,\"count\":2}]}\n"
"{\"interval\":3,\"other\":true,\"event\":7,\"comm\":\"\",\"duration\":null,\"at\":null,"
"\"ratio\":null,\"ok\":null,\"dev\":\"0:1\",\"hist(duration)\":null}\n"
"{\"losses\":{\"dropped\":3,\"late\":0}}\n");
	shown_close(&s);
}

TEST(at_least)
{
	struct type t = { AN_INT };
	struct cell c = { .kind = CELL_INT, .i = 7, .at_least = true };
	struct buf b = { 0 };

	CHECK(format_is_number(&t, &(struct cell){ .kind = CELL_INT }));
	CHECK(!format_is_number(&t, &c));	/* in quotes in JSON */
	format_cell(&b, FORM_RAW, &t, &c, NULL);
	CHECK_STR(b.p, ">= 7");
	buf_fini(&b);
}

TEST(json_rows_of_second_query)
{
	const struct column columns[] = { VALUE("query", AN_INT), VALUE("pid", .kind = TY_PID) };
	const struct cell cells[] = { INT_CELL(5), INT_CELL(6) };
	struct sink_query q = { .index = 1, .n_columns = 2, .columns = columns };
	struct shown s;

	shown_open(&s, &view_json, 0);
	s.o.timestamp = true;
	shown_start(&s);
	s.ops->sink.row(s.view, &q, 1, cells);		/* a column has the name `query` */
	q.n_columns = 1;
	q.columns++;
	s.ops->sink.row(s.view, &q, 1, cells + 1);
	CHECK_STR(shown_text(&s),
		  "{\"time\":1000000000000000001,\"query\":5,\"pid\":6}\n"
		  "{\"query\":1,\"time\":1000000000000000001,\"pid\":6}\n");
	shown_close(&s);
}

TEST(csv_table)
{
	struct table *t = sample();
	struct sink_query q = query_of(t, 0, true);
	struct shown s;

	shown_open(&s, &view_csv, 0);
	s.o.timestamp = true;
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.table(s.view, &q, t);
	t->other = true;
	t->rows.v++;
	t->rows.n = 1;
	t->rows.v[0][0] = NONE_CELL;
	s.ops->sink.table(s.view, &q, t);
	CHECK_STR(shown_text(&s),
"time_ns,interval,event,comm,duration_ns,at_ns,ratio,ok,dev,hist(duration)\n"
"42,3,read,\"a,\"\"b\"\"\n\xee\xbf\xbf\",1234567,1000000000000000005,0.1,true,sda,"
"0-0:1 1-18446744073709551615:2\n"
"42,3,7,\"\",,,,,0:1,\n"
"42,3,(other),\"\",,,,,0:1,\n");
	shown_close(&s);
}

/* A query that shows the time itself has it once with -T, too. */
TEST(csv_rows_with_own_time)
{
	const struct column columns[] = { VALUE("time", .kind = TY_TIME), VALUE("a", AN_INT) };
	struct sink_query q = { .n_columns = 2, .columns = columns };
	struct cell cells[] = { INT_CELL(5), INT_CELL(1) };
	struct shown s;

	shown_open(&s, &view_csv, 0);
	s.o.timestamp = true;
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.row(s.view, &q, 7, cells);
	CHECK_STR(shown_text(&s), "time_ns,a\n1000000000000000005,1\n");
	shown_close(&s);
}

TEST(csv_rows_and_hostile_text)
{
	const struct column a[] = { VALUE("comm", A_COMM), VALUE("bytes", .kind = TY_SIZE) };
	const struct column b[] = { VALUE("x,y", AN_INT) };
	struct sink_query qa = { .n_columns = 2, .columns = a };
	struct sink_query qb = { .index = 1, .n_columns = 1, .columns = b };
	const struct cell cells[] = { TEXT_CELL("\033[2J\0"), INT_CELL(4096) };
	struct shown s;

	shown_open(&s, &view_csv, 0);
	shown_start(&s);
	s.ops->sink.row(s.view, &qa, 0, cells);
	s.ops->sink.row(s.view, &qb, 0, cells + 1);
	CHECK_STR(shown_text(&s), "comm,bytes\n\xee\xbc\x9b[2J\xee\xbc\x80,4096\n\n\"x,y\"\n4096\n");
	shown_close(&s);
}

/* Whatever a name or an argument holds, nothing of it reaches a terminal but text. */
TEST(view_random_bytes)
{
	static const uint8_t kinds[] = { TY_STRING, TY_ARGS, TY_PATH, TY_IP };
	uint32_t x = 1;

	for (int i = 0; i < 3000; i++) {
		const struct view_ops *ops = view_registry[i % 4];
		struct column c = VALUE("x", .kind = kinds[i / 4 % 4], .bytes = 32);
		struct sink_query q = { .n_columns = 1, .columns = &c };
		char bytes[32];
		struct cell cell = { .kind = CELL_BYTES, .bytes = { bytes, i % 33 } };
		struct shown s;

		for (int k = 0; k < 32; k++) {
			x = x * 1664525 + 1013904223;
			bytes[k] = (char)(x >> 24 & (i & 64 ? 0xff : 0x8f));
		}
		shown_open(&s, ops, i % 50);
		shown_start(&s);
		s.ops->sink.row(s.view, &q, 0, &cell);
		for (const char *p = shown_text(&s); *p; p++)
			CHECK(((unsigned char)*p >= ' ' && *p != 0x7f) || *p == '\n' ||
			      (ops == &view_csv && (*p == '\t' || *p == '\r')));
		CHECK(strlen(s.text) == s.n);
		shown_close(&s);
	}
}

TEST(view_registry)
{
	for (int i = 0; view_registry[i]; i++) {
		const struct view_ops *v = view_registry[i];

		CHECK(v->help && v->open && v->sink.query && v->sink.row && v->sink.table && v->sink.flush &&
		      v->sink.losses && v->close);
		CHECK(view_find(v->name) == v);
		for (int k = 0; k < i; k++)
			CHECK(strcmp(view_registry[k]->name, v->name));
	}
#define VIEW(id) CHECK(view_find(#id) == &view_##id);
#include "view/view.def"
#undef VIEW
	CHECK(!view_find("jso"));
	CHECK(view_for_file("a.b/x.json") == &view_json);
	CHECK(view_for_file("x.jsonl") == &view_json);
	CHECK(view_for_file("/tmp/x.csv") == &view_csv);
	CHECK(view_for_file("x.txt") == &view_text);
	CHECK(view_for_file("x.md") == &view_markdown);
	CHECK(view_for_file("x.prom") == &view_prom);
	CHECK(!view_for_file("x.jso"));
	CHECK(!view_for_file("x."));
	CHECK(!view_for_file("json"));
	CHECK(!view_for_file("a.json/x"));
	CHECK(!view_for_file("a/.json"));
	CHECK(!view_for_file(""));
}

static const char *named(void (*put)(struct buf *b, enum view_shape shape), enum view_shape shape)
{
	static struct buf b;

	buf_clear(&b);
	put(&b, shape);
	return b.p;
}

TEST(view_names)
{
	CHECK_STR(named(view_names, VIEW_LINES), " text json csv markdown");
	CHECK_STR(named(view_choices, VIEW_LINES), "text, json, csv or markdown");
	CHECK_STR(named(view_choices, VIEW_METRICS), "prom");
	CHECK(strstr(named(view_names, VIEW_SHAPES), " csv markdown prom folded "));
}

#define POINTER "help: `culprit help losses` says what each means for the answer\n"

TEST(view_losses)
{
	const struct loss l[] = { { LOSS_DROPPED, "rows found the table full", 1, true, 0 },
				  { LOSS_UNMATCHED, "ends have no begin", 5, false, 0 },
				  { LOSS_LATE, "rows", 0, true, 0 } };
	/* 5 of 7 began before; of those without a name all else is right */
	const struct loss from_middle[] = { { LOSS_UNMATCHED, "ends have no begin", 7, false, 5 },
					    { LOSS_UNMATCHED, "other ends", 3, false, 3 },
					    { LOSS_NO_NAME, "frames", 9, true, 0 } };
	/* each such stack says itself why it ends */
	const struct loss short_stacks = { LOSS_STACKS_SHORT, "stacks", 4, true, 0 };
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	losses_print(f, "", l, 3, 100000, TELL_USUAL);
	fputs("--\n", f);
	losses_print(f, "", l + 1, 2, 100000, TELL_ALL);
	fputs("--\n", f);
	losses_print(f, "", l + 1, 2, 4000, TELL_USUAL);
	fputs("--\n", f);
	losses_print(f, "", from_middle, 3, 100, TELL_USUAL);
	fputs("--\n", f);
	losses_print(f, "", from_middle, 3, 100, TELL_LESS);
	fputs("--\n", f);
	losses_print(f, "", &short_stacks, 1, 100, TELL_LESS);
	losses_print(f, "", from_middle + 1, 1, 100, TELL_ALL);
	fputs("--\n", f);
	losses_print(f, "# ", l + 1, 2, 4000, TELL_USUAL);
	fclose(f);
	CHECK_STR(text, "culprit: 1 rows found the table full (dropped)\n" POINTER "--\n"
			"culprit: 5 ends have no begin (unmatched)\n" POINTER "--\n"
			"culprit: 5 ends have no begin (unmatched)\n" POINTER "--\n"
			"culprit: 2 ends have no begin (unmatched)\n"
			"culprit: 9 frames (frames without a name)\n" POINTER "--\n--\n"
			"culprit: 3 other ends (unmatched)\n" POINTER "--\n"
			"# culprit: 5 ends have no begin (unmatched)\n# " POINTER);
	free(text);
}

static struct table *stack_sample(void)
{
	static const struct stack_frame frame = { .name = "main", .kind = FRAME_USER };
	static const struct stack stack = { 1, &frame, NULL };
	struct column c[] = { KEY("stack", .kind = TY_STACK), VALUE("count", AN_INT) };
	struct table *t = made(&arena, c, 2);

	made_row(&arena, t, ((struct cell){ .kind = CELL_STACK, .stack = &stack }), INT_CELL(1));
	return t;
}

static int write_to(FILE *f, const struct view_ops *ops)
{
	struct view_options o = { .out = f, .header = true };
	struct table *t = ops->shape == VIEW_PICTURE ? stack_sample() : sample();
	struct sink_query q = query_of(t, 0, true);
	struct sink *v = ops->open(&o);
	int error;

	ops->sink.query(v, &q);
	ops->sink.table(v, &q, t);
	error = ops->sink.flush(v);
	CHECK_EQ(ops->sink.flush(v), error);
	if (ops->shape != VIEW_LINES) {		/* written at the end */
		CHECK_EQ(error, 0);
		return ops->close(v);
	}
	CHECK_EQ(ops->close(v), error);
	return error;
}

TEST(view_write_errors)
{
	for (int i = 0; view_registry[i]; i++) {
		FILE *full = fopen("/dev/full", "w");
		int ends[2];

		REQUIRE(full && !pipe(ends));
		CHECK_EQ(write_to(full, view_registry[i]), -ENOSPC);
		fclose(full);
		signal(SIGPIPE, SIG_IGN);
		close(ends[0]);
		full = fdopen(ends[1], "w");
		CHECK_EQ(write_to(full, view_registry[i]), -EPIPE);
		fclose(full);
	}
}
