/* Stacks as files: folded, pprof, speedscope, SVG; and what hostile ones do. */
#include <stdint.h>
#include <zlib.h>

#include "../table/made.h"
#include "base/json.h"
#include "cli/folded.h"
#include "shown.h"
#include "table/stack.h"
#include "test.h"

#define A_STACK .kind = TY_STACK, .size = 8
#define STACK_CELL(s) ((struct cell){ .kind = CELL_STACK, .stack = &(s) })

static struct arena arena;

/* The innermost first. */
static struct stack_frame sleeper_frames[] = {
	{ .name = "schedule", .kind = FRAME_KERNEL }, { .name = "do;it", .kind = FRAME_USER, .module = "a.out" },
	{ .module = "libc.so.6", .offset = 0x20, .kind = FRAME_USER },
};
static struct stack_frame waker_frames[] = {
	{ .name = "wake", .kind = FRAME_KERNEL }, { .name = "jit<b>", .kind = FRAME_JIT },
};
static struct stack sleeper = { 3, sleeper_frames, NULL }, waker = { 2, waker_frames, "too deep" };

/* The whole file of a view, made from a table of stacks. */
static char *file_of(const struct view_ops *ops, const struct sink_query *q, struct table **tables,
		     int n, int diff, size_t *bytes)
{
	struct shown s;
	char *text;

	shown_open(&s, ops, 0);
	s.o.diff = (uint8_t)diff;
	s.o.sides[0] = "a";
	s.o.sides[1] = "b";
	shown_start(&s);
	ops->sink.query(s.view, q);
	for (int i = 0; i < n; i++)
		ops->sink.table(s.view, q, tables[i]);
	ops->close(s.view);
	fclose(s.o.out);
	text = arena_strndup(&arena, s.text, s.n);
	if (bytes)
		*bytes = s.n;
	free(s.text);
	return text;
}

static struct table *two_stacks(struct sink_query *q)
{
	struct column c[] = {
		KEY("begin.comm", A_COMM), KEY("begin.stack", A_STACK), KEY("via.stack", A_STACK),
		KEY("via.comm", A_COMM), VALUE("sum(duration)", A_DURATION), VALUE("count", AN_INT),
	};
	struct table *t = made(&arena, c, 6);

	made_row(&arena, t, TEXT_CELL("bash"), STACK_CELL(sleeper), STACK_CELL(waker), TEXT_CELL("cat"),
		 INT_CELL(5000), INT_CELL(3));
	made_row(&arena, t, TEXT_CELL("bash"), STACK_CELL(sleeper), NONE_CELL, TEXT_CELL("cat"),
		 INT_CELL(70), INT_CELL(1));
	*q = (struct sink_query){ .n_columns = 6, .columns = t->columns, .is_table = true };
	return t;
}

TEST(pictures_folded)
{
	struct sink_query q;
	struct table *t = two_stacks(&q);

	CHECK_STR(file_of(&view_folded, &q, &t, 1, 0, NULL),
"bash;libc.so.6+0x20;do:it;schedule_[k];--;wake_[k];jit<b>_[j];[too deep];cat 5000\n"
"bash;libc.so.6+0x20;do:it;schedule_[k];cat 70\n");
}

TEST(pictures_halves)
{
	struct sink_query q;
	struct table *t[] = { two_stacks(&q), two_stacks(&q), two_stacks(&q) };

	t[1]->interval = 1;
	t[2]->interval = 2;		/* the rest of a moment is the second half's */
	t[2]->rows.n = 1;
	CHECK_STR(file_of(&view_folded, &q, t, 3, VIEW_DIFF_HALVES, NULL),
"bash;libc.so.6+0x20;do:it;schedule_[k];--;wake_[k];jit<b>_[j];[too deep];cat 5000 10000\n"
"bash;libc.so.6+0x20;do:it;schedule_[k];cat 70 70\n");
}

TEST(pictures_escape)
{
	struct stack_frame f[] = {
		{ .name = "</script><b>&\"'", .kind = FRAME_USER }, { .name = "]]>\x01\xff", .kind = FRAME_USER },
	};
	struct stack s = { 2, f, NULL };
	struct column c[] = { KEY("stack", A_STACK), VALUE("count", AN_INT) };
	struct sink_query q = { .n_columns = 2, .columns = c, .is_table = true };
	struct table *t = made(&arena, c, 2);
	const char *svg, *html;

	made_row(&arena, t, STACK_CELL(s), INT_CELL(1));
	svg = file_of(&view_svg, &q, &t, 1, 0, NULL);
	html = file_of(&view_html, &q, &t, 1, 0, NULL);
	CHECK(strstr(svg, "&lt;/script&gt;&lt;b&gt;&amp;&quot;&#39;</text>") != NULL);
	CHECK(strstr(svg, "]]&gt;\\x01\\xff</text>") != NULL);
	CHECK(!strstr(svg, "<b>") && !strstr(html, "<b>"));
	CHECK(strstr(html, "[\"\\u003c/script\\u003e\\u003cb\\u003e\\u0026\\\"'\",1]") != NULL);
	CHECK(strstr(html, "]]\\u003e\\\\x01\\\\xff") != NULL);
	CHECK(strstr(html, "1 samples") != NULL);
}

/* Without a script names, the title and what was lost end where their room does, and say so. */
TEST(pictures_room)
{
	struct stack_frame f = { .name = "a_name_that_is_long_and_has_a_tail_without_room", .kind = FRAME_USER };
	struct stack_frame g = { .name = "wide", .kind = FRAME_USER };
	struct stack many = { 1, &f, NULL }, few = { 1, &g, NULL };
	struct column c[] = { KEY("stack", A_STACK), VALUE("count", AN_INT) };
	struct sink_query q = { .n_columns = 2, .columns = c, .is_table = true };
	struct table *t = made(&arena, c, 2);
	const struct loss loss = { .count = 7, .always = true, .what = arena_printf(&arena, "%0200d", 1) };
	const char *line;
	struct shown s;

	made_row(&arena, t, STACK_CELL(many), INT_CELL(1));
	made_row(&arena, t, STACK_CELL(few), INT_CELL(9));
	shown_open(&s, &view_svg, 0);
	s.o.query = "cpu@99hz | count by stack";
	shown_start(&s);
	view_svg.sink.query(s.view, &q);
	view_svg.sink.table(s.view, &q, t);
	view_svg.sink.losses(s.view, &loss, 1);
	view_svg.close(s.view);
	fclose(s.o.out);
	CHECK(strstr(s.text, ">cpu@99hz | count by stack</text>") != NULL);
	CHECK(strstr(s.text, ">a_name_that_is_\u2026</text>") != NULL);
	line = strstr(s.text, "</title>");
	CHECK(line && strstr(line, "\u2026</text>") && strstr(line, "\u2026</text>") - line < 220);
	CHECK(strstr(s.text, "0001</title>") != NULL);
	free(s.text);
}

TEST(pictures_speedscope)
{
	struct sink_query q;
	struct table *t = two_stacks(&q);
	char *text = file_of(&view_speedscope, &q, &t, 1, 0, NULL);
	const struct json *j = json_read(&arena, str_of(text));
	const struct json *profile = json_member(j, "profiles"), *frames, *weights, *samples;

	REQUIRE(profile && profile->first);
	profile = profile->first;
	frames = json_member(json_member(j, "shared"), "frames");
	weights = json_member(profile, "weights");
	samples = json_member(profile, "samples");
	REQUIRE(frames && weights && samples && weights->first && weights->first->next);
	CHECK(str_is(json_text(json_member(profile, "unit")), "nanoseconds"));
	CHECK(str_is(json_text(json_member(frames->first->next, "name")), "libc.so.6+0x20"));
	CHECK(str_is(json_text(json_member(frames->first->next, "file")), "libc.so.6"));
	CHECK(str_is(weights->first->text, "5000"));
	CHECK(str_is(weights->first->next->text, "70"));
	CHECK(str_is(json_member(profile, "endValue")->text, "5070"));
	CHECK(samples->first->next && !samples->first->next->next);
}

/* ---- pprof, decoded ---- */

static uint64_t varint(const unsigned char **p)
{
	uint64_t x = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		unsigned char c = *(*p)++;

		x |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			break;
	}
	return x;
}

/* The next field; of a message or string the bytes, *value long. NULL: it is a number. */
static const unsigned char *field(const unsigned char **p, int *number, uint64_t *value)
{
	uint64_t tag = varint(p);
	const unsigned char *bytes;

	*number = (int)(tag >> 3);
	*value = varint(p);
	if ((tag & 7) == 0)
		return NULL;
	bytes = *p;
	*p += *value;
	return bytes;
}

TEST(pictures_pprof)
{
	struct sink_query q;
	struct table *t = two_stacks(&q);
	size_t bytes;
	char *text = file_of(&view_pprof, &q, &t, 1, 0, &bytes);
	static unsigned char out[65536];
	z_stream z = { .next_in = (Bytef *)text, .avail_in = (uInt)bytes, .next_out = out,
		       .avail_out = sizeof(out) };
	const unsigned char *p = out, *end, *b;
	const char *strings[32] = { 0 };
	uint64_t names[32] = { 0 }, stacks[2][16], values[2] = { 0 }, x, length;
	int n_strings = 0, n_samples = 0, n_mappings = 0, number, deep[2] = { 0 };

	REQUIRE(inflateInit2(&z, 15 + 16) == Z_OK);
	CHECK_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	end = out + z.total_out;
	while (p < end) {
		b = field(&p, &number, &length);
		REQUIRE(b && p <= end);
		if (number == 6 && n_strings < 32)
			strings[n_strings++] = arena_strndup(&arena, (const char *)b, length);
		n_mappings += number == 3;
		if (number == 5) {			/* Function: id, name */
			uint64_t id, name;

			field(&b, &number, &id);
			field(&b, &number, &name);
			REQUIRE(id < 32);
			names[id] = name;
		} else if (number == 2 && n_samples < 2) {	/* Sample: locations, values */
			const unsigned char *ids = field(&b, &number, &x), *ids_end = ids + x;

			while (ids < ids_end && deep[n_samples] < 16)
				stacks[n_samples][deep[n_samples]++] = varint(&ids);
			ids = field(&b, &number, &x);
			values[n_samples++] = varint(&ids);
		}
	}
	CHECK_EQ(n_samples, 2);
	CHECK_EQ(n_mappings, 3);			/* the kernel, a.out and libc.so.6 */
	CHECK_STR(strings[0], "");
	CHECK_STR(strings[1], "time");
	CHECK_STR(strings[2], "nanoseconds");
	CHECK_EQ(values[0] + values[1], 5070);
	for (int i = 0; i < 2; i++) {
		int n = values[i] == 5000 ? 9 : 5;

		CHECK_EQ(deep[i], n);			/* the leaf first */
		CHECK_STR(strings[names[stacks[i][0]]], "cat");
		CHECK_STR(strings[names[stacks[i][n - 1]]], "bash");
		CHECK_STR(strings[names[stacks[i][n - 2]]], "libc.so.6+0x20");
	}
}

/* ---- what others wrote ---- */

static struct folded reader;

static char *read_back(const char *text, size_t n, bool pairs)
{
	static const struct type samples = { .kind = TY_INT, .size = 8 };
	struct shown s;
	FILE *file = fmemopen((char *)text, n, "r");
	char *back;

	shown_open(&s, &view_folded, 0);
	s.o.diff = pairs ? VIEW_DIFF_QUERIES : VIEW_NO_DIFF;
	shown_start(&s);
	folded_init(&reader, &view_folded, s.view, samples, 1);
	reader.pairs = pairs;
	CHECK_EQ(folded_read(&reader, file), 0);
	fclose(file);
	view_folded.close(s.view);
	folded_fini(&reader);
	fclose(s.o.out);
	back = arena_strndup(&arena, s.text, s.n);
	free(s.text);
	return back;
}

#define READ(text) read_back(text, sizeof(text) - 1, false)

TEST(pictures_read_folded)
{
	CHECK_STR(READ("a;b c;d 3\r\na;b c;d 4\n# no stack\na;d_[k] 1.6\n\nb 1"),
		  "a;b c;d 7\na;d_[k] 2\nb 1\n");
	CHECK_STR(READ("a;;b 1\n;x 1\n"), "[unknown];x 1\na;[unknown];b 1\n");
	CHECK_STR(READ("a\n12\n 5\na;b -3\na;b 1e9\na;b 3x\na 0\n"), "");
	CHECK_EQ(reader.wrong, 6);
	CHECK_STR(READ("a\0b;c 1\n"), "a?b;c 1\n");
	CHECK_STR(READ("a 18446744073709551615\na 7\nb 99999999999999999999999\n"),
		  "a 18446744073709551615\nb 18446744073709551615\n");
	CHECK_STR(read_back("a;b 3 5\na 0 2\nc 9\n", 18, true), "a 0 2\na;b 3 5\n");
}

TEST(pictures_read_json)
{
	CHECK_STR(READ(
"{\"schema\":\"culprit/1\",\"columns\":[{\"name\":\"stack\",\"type\":\"stack\",\"role\":\"key\"},"
"{\"name\":\"comm\",\"type\":\"string\",\"role\":\"key\"},"
"{\"name\":\"sum(x)\",\"type\":\"duration\",\"unit\":\"ns\",\"role\":\"value\"}]}\n"
"{\"interval\":0,\"stack\":[{\"name\":\"r\\u00e9ad\",\"kind\":\"kernel\"},{\"name\":null,\"module\":\"m\","
"\"offset\":16},{\"cut\":\"too deep\"}],\"comm\":\"sh\",\"sum(x)\":12}\n"
"{\"losses\":{\"dropped\":0}}\n{\"stack\":7}\n{\"x\n"),
		  "sh;[too deep];m+0x10;r\303\251ad_[k] 12\n");
	CHECK_EQ(reader.wrong, 2);
}

TEST(pictures_deep_and_long)
{
	static char text[4000100];
	size_t n = 0;
	char *back;

	for (int i = 0; i < 1000000; i++) {
		text[n++] = (char)('a' + i % 26);
		text[n++] = ';';
	}
	memcpy(text + n, "z 1\nq 2\n", 8);
	back = read_back(text, n + 8, false);
	CHECK_EQ(strlen(back), 1024 * 2 - 1 + 3 + 4);
	CHECK_STR(back + 1024 * 2 - 1, " 1\nq 2\n");
	/* JSON that only opens */
	memset(text, '[', sizeof(text) - 1);
	text[0] = '{';
	CHECK_STR(read_back(text, sizeof(text) - 1, false), "");
	CHECK_EQ(reader.wrong, 1);
}

TEST(pictures_suit)
{
	struct column c[] = { KEY("comm", A_COMM), VALUE("count", AN_INT) };
	struct column h[] = { VALUE("hist(duration)", .kind = TY_HIST, .of = TY_DURATION) };
	struct sink_query q = { .n_columns = 2, .columns = c, .is_table = true };

	CHECK(view_svg.suits(&q) != NULL);
	CHECK(view_html.suits(&q) != NULL);
	c[0].type = (struct type){ A_STACK };
	CHECK(!view_svg.suits(&q) && !view_html.suits(&q) && !view_pprof.suits(&q));
	q = (struct sink_query){ .n_columns = 1, .columns = h, .is_table = true };
	CHECK(view_html.suits(&q) != NULL);
	q.has_interval = true;
	CHECK(!view_html.suits(&q));
}
