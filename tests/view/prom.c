/* Metrics for Prometheus: names, labels and numbers, the grammar of every line, and what promtool says. */
#include <regex.h>

#include "../table/made.h"
#include "base/map.h"
#include "shown.h"
#include "test.h"

static struct arena arena;

static struct sink_query query_of(const struct table *t, int index)
{
	return (struct sink_query){ .index = index, .n_columns = t->n_columns, .columns = t->columns, .is_table = true };
}

/* What the view writes at its end, of a table of each query. */
static const char *text_of(struct view_options *o, struct sink_query *q, struct table *const *t, int n)
{
	static const struct loss losses[] = { { LOSS_DROPPED, "begins", 2, true, 0 }, { LOSS_LATE, "rows", 0, true, 0 },
					      { LOSS_DROPPED, "rows", 1, true, 0 } };
	char *text, *copy;
	size_t bytes;
	struct sink *v;

	o->names = &fake_names;
	o->out = open_memstream(&text, &bytes);
	v = view_prom.open(o);
	for (int i = 0; i < n; i++) {
		CHECK(!view_prom.suits(&q[i]));
		view_prom.sink.query(v, &q[i]);
	}
	for (int i = 0; i < n; i++)
		view_prom.sink.table(v, &q[i], t[i]);
	view_prom.sink.losses(v, losses, 3);
	CHECK_EQ(view_prom.sink.flush(v), 0);
	CHECK_EQ(view_prom.close(v), 0);
	fclose(o->out);
	copy = arena_strdup(&arena, text);
	free(text);
	return copy;
}

static const char *one(struct table *t, const char *query)
{
	struct view_options o = { .title = "test", .query = query };
	struct sink_query q = query_of(t, 0);

	return text_of(&o, &q, &t, 1);
}

/* The names and types alone. */
static const char *types(const char *text)
{
	struct buf b = { 0 };
	char *copy;

	while ((text = strstr(text, "# TYPE culprit_"))) {
		size_t n = strcspn(text, "\n");

		if (!memmem(text, n, "_lost_", 6)) {
			buf_add(&b, text + 15, n - 15);
			buf_putc(&b, '\n');
		}
		text += n;
	}
	copy = arena_strdup(&arena, b.p ? b.p : "");
	buf_fini(&b);
	return copy;
}

#define LOST(title, of) \
	"# HELP culprit" title "_lost_total what is not in these figures, as `culprit help losses` says, of: " of "\n" \
	"# TYPE culprit" title "_lost_total counter\nculprit" title "_lost_total{counter=\"dropped\"} 3\n" \
	"culprit" title "_lost_total{counter=\"late\"} 0\n"

static struct table *sample(void)
{
	struct table *t = made(&arena, COLUMNS(KEY("comm", A_COMM), KEY("errno(ret)", .kind = TY_ERRNO, .size = 8),
					       VALUE("count", AN_INT), VALUE("avg(duration)", A_DURATION),
					       VALUE("any(comm)", A_COMM)), 5);

	t->columns[2].is_counter = true;
	made_row(&arena, t, TEXT_CELL("a\\\"b\n\xff"), INT_CELL(2), INT_CELL(7), REAL_CELL(1500), TEXT_CELL("x"));
	made_row(&arena, t, TEXT_CELL("(other)"), INT_CELL(0), INT_CELL(8), INT_CELL(-1), TEXT_CELL("x"));
	made_row(&arena, t, TEXT_CELL(""), NONE_CELL, INT_CELL(9), INT_CELL(12000000000), TEXT_CELL("x"));
	made_row(&arena, t, NONE_CELL, NONE_CELL, INT_CELL(10), REAL_CELL(__builtin_nan("")), TEXT_CELL("x"));
	made_row(&arena, t, NONE_CELL, NONE_CELL, ((struct cell){ .kind = CELL_INT, .i = 11, .at_least = true }),
		 NONE_CELL, TEXT_CELL("x"));
	t->other = true;
	return t;
}

TEST(prom_table)
{
	CHECK_STR(one(sample(), NULL),
		  "# HELP culprit_test_count_total count, of: test\n"
		  "# TYPE culprit_test_count_total counter\n"
		  "culprit_test_count_total{comm=\"a\\\\\\\"b\\n\xee\xbf\xbf\",errno_ret=\"ENOENT\"} 7\n"
		  "culprit_test_count_total{comm=\"\xee\xbc\xa8other)\",errno_ret=\"0\"} 8\n"
		  "culprit_test_count_total 9\n"
		  "culprit_test_count_total{row=\"3\"} 10\n"
		  "culprit_test_count_total{comm=\"(other)\"} 11\n"
		  "# HELP culprit_test_avg_duration_seconds avg(duration), of: test\n"
		  "# TYPE culprit_test_avg_duration_seconds gauge\n"
		  "culprit_test_avg_duration_seconds{comm=\"a\\\\\\\"b\\n\xee\xbf\xbf\",errno_ret=\"ENOENT\"} 1.5e-06\n"
		  "culprit_test_avg_duration_seconds{comm=\"\xee\xbc\xa8other)\",errno_ret=\"0\"} -0.000000001\n"
		  "culprit_test_avg_duration_seconds 12\n" LOST("_test", "test"));
}

/* The bounds of all rows are in each, so that rows can be added; what is above them is in +Inf alone. */
static struct table *histograms(void)
{
	static struct hist_row low[] = { { 2, 3, 5 }, { 4, 7, 1 } }, high[] = { { 8, 15, 2 }, { 16, HIST_ABOVE, 3 } };
	static const struct hist a = { .n = 2, .rows = low }, b = { .n = 2, .rows = high };
	struct table *t = made(&arena, COLUMNS(KEY("cpu", AN_INT), VALUE("hist(duration)", .kind = TY_HIST, .of = TY_DURATION)), 2);

	made_row(&arena, t, INT_CELL(0), HIST_CELL(&a));
	made_row(&arena, t, INT_CELL(1), HIST_CELL(&b));
	made_row(&arena, t, INT_CELL(2), NONE_CELL);
	return t;
}

#define BUCKETS(cpu, a, b, c, all) \
	"culprit_duration_seconds_bucket{cpu=\"" cpu "\",le=\"0.000000003\"} " a "\n" \
	"culprit_duration_seconds_bucket{cpu=\"" cpu "\",le=\"0.000000007\"} " b "\n" \
	"culprit_duration_seconds_bucket{cpu=\"" cpu "\",le=\"0.000000015\"} " c "\n" \
	"culprit_duration_seconds_bucket{cpu=\"" cpu "\",le=\"+Inf\"} " all "\n" \
	"culprit_duration_seconds_count{cpu=\"" cpu "\"} " all "\n"

TEST(prom_histogram)
{
	CHECK_STR(one(histograms(), "x | y"),
		  "# HELP culprit_duration_seconds hist(duration), of: x | y\n"
		  "# TYPE culprit_duration_seconds histogram\n"
		  BUCKETS("0", "5", "6", "6", "6") BUCKETS("1", "0", "0", "2", "5") BUCKETS("2", "0", "0", "0", "0")
		  LOST("", "x | y"));
}

static struct table *many_types(void)
{
	struct table *t = made(&arena, COLUMNS(VALUE("count", AN_INT), VALUE("sum(Bytes)", .kind = TY_SIZE),
					       VALUE("rate", .kind = TY_RATE), VALUE("share(count)", .kind = TY_SHARE),
					       VALUE("max(time)", .kind = TY_TIME, .size = 8), VALUE("a+b", AN_INT),
					       VALUE("a-b", AN_INT), VALUE("lhist(x, 0, 10, 1)", .kind = TY_HIST, .of = TY_INT),
					       VALUE("x_sum", AN_INT), VALUE("lost", AN_INT)), 10);

	made_row(&arena, t, INT_CELL(1), INT_CELL(2), REAL_CELL(0.5), REAL_CELL(0.25), INT_CELL(5), INT_CELL(6),
		 INT_CELL(7), NONE_CELL, INT_CELL(8), INT_CELL(9));
	t->columns[0].is_counter = t->columns[1].is_counter = t->columns[9].is_counter = true;
	return t;
}

TEST(prom_names)
{
	struct table *t = many_types();
	const char *text = one(t, "x");

	CHECK_STR(types(text), "count_total counter\nsum_bytes_total counter\nrate_per_second gauge\n"
			       "share_count_ratio gauge\nmax_time_timestamp_seconds gauge\na_b gauge\na_b_2 gauge\n"
			       "x histogram\nx_sum_value gauge\n");
	CHECK(strstr(text, "culprit_max_time_timestamp_seconds 1000000000.000000005\n"));
	CHECK(strstr(text, "culprit_lost_total_2 9\n"));	/* losses have the name */
}

/* Of an interval counts begin again; a second query's names say so; a file's name has no folder. */
TEST(prom_queries)
{
	struct table *t = made(&arena, COLUMNS(VALUE("count", AN_INT)), 1);
	struct view_options o = { .title = "/tmp/my-disk.q" };
	struct sink_query q[] = { query_of(t, 2), query_of(t, 5) };
	struct table *both[] = { t, t };
	const char *text;

	made_row(&arena, t, INT_CELL(1));
	t->columns[0].is_counter = true;
	q[0].has_interval = true;
	text = text_of(&o, q, both, 2);
	CHECK_STR(types(text), "my_disk_count_value gauge\nmy_disk_query2_count_total counter\n");
}

/* The last table of an interval is the one. */
TEST(prom_last)
{
	struct table *t = made(&arena, COLUMNS(VALUE("n", AN_INT)), 1);
	struct sink_query q = query_of(t, 0);
	struct shown s;

	made_row(&arena, t, INT_CELL(1));
	shown_open(&s, &view_prom, 0);
	shown_start(&s);
	s.ops->sink.query(s.view, &q);
	s.ops->sink.table(s.view, &q, t);
	t->rows.v[0][0].i = 2;
	s.ops->sink.table(s.view, &q, t);
	CHECK_EQ(s.ops->sink.flush(s.view), 0);
	s.ops->close(s.view);
	fflush(s.o.out);
	CHECK_STR(s.text, "# HELP culprit_test_n n, of: test\n# TYPE culprit_test_n gauge\nculprit_test_n 2\n");
	fclose(s.o.out);
	free(s.text);
}

TEST(prom_suits)
{
	struct table *t = made(&arena, COLUMNS(KEY("comm", A_COMM), VALUE("any(comm)", A_COMM)), 2);
	struct sink_query q = query_of(t, 0);

	CHECK(strstr(view_prom.suits(&q), "no column is a number"));
	q.is_table = false;
	CHECK(strstr(view_prom.suits(&q), "printed rows are no metrics"));
}

/* ---- the grammar ---- */

#define NAME "[a-zA-Z_][a-zA-Z0-9_]*"
#define LABEL NAME "=\"([^\"\\]|\\\\[\\n\"])*\""
#define NUMBER "[-]?[0-9]+([.][0-9]+)?(e[-+][0-9]+)?"

static bool fits(const regex_t *grammar, const char *line)
{
	return !regexec(grammar, line, 0, NULL, 0);
}

/* Each line is one of the format; heads come once, before the samples; no sample is there twice. */
static void check_grammar(const char *text)
{
	regex_t help, type, sample;
	char *copy = arena_strdup(&arena, text), *line;
	struct map seen = { 0 };
	const char *family = "";

	REQUIRE(!regcomp(&help, "^# HELP " NAME " ([^\\]|\\\\[\\n])*$", REG_EXTENDED | REG_NOSUB));
	REQUIRE(!regcomp(&type, "^# TYPE " NAME " (counter|gauge|histogram)$", REG_EXTENDED | REG_NOSUB));
	REQUIRE(!regcomp(&sample, "^" NAME "([{]" LABEL "(," LABEL ")*[}])? " NUMBER "$", REG_EXTENDED | REG_NOSUB));
	CHECK(*text && text[strlen(text) - 1] == '\n');
	while ((line = strsep(&copy, "\n")) && copy) {
		struct str name = { line, (int)(strrchr(line, ' ') - line) };

		if (*line == '#') {
			bool is_help = line[2] == 'H';

			CHECK(fits(is_help ? &help : &type, line));
			name = (struct str){ line + 2, 5 + (int)strcspn(line + 7, " ") };
			family = arena_strndup(&arena, line + 7, strcspn(line + 7, " "));
		} else {
			if (!fits(&sample, line))
				TEST_FAIL("no sample: %s", line);
			CHECK(!strncmp(line, family, strlen(family)));
		}
		CHECK(!map_get_str(&seen, name));
		*map_put_str(&arena, &seen, name) = line;
	}
	regfree(&help);
	regfree(&type);
	regfree(&sample);
}

/* Random bytes for keys, names of columns and the query's text. */
static const char *hostile(uint32_t x)
{
	char bytes[4][12];
	struct table *t;

	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 12; k++) {
			x = x * 1664525 + 1013904223;
			bytes[i][k] = (char)(x >> 24 & (x & 64 ? 0xff : 0x7f));
		}
	bytes[0][11] = bytes[1][11] = bytes[2][11] = '\0';
	t = made(&arena, COLUMNS(KEY(bytes[0], A_COMM), KEY("le", A_COMM), VALUE(bytes[1], A_DURATION),
				 VALUE("n", A_REAL)), 4);
	for (int r = 0; r < 4; r++)
		made_row(&arena, t, ((struct cell){ .kind = CELL_BYTES, .bytes = { bytes[r], (int)(x >> r & 7) } }),
			 ((struct cell){ .kind = CELL_BYTES, .bytes = { bytes[3], (int)(x >> 8 & 3) } }),
			 INT_CELL(x), REAL_CELL((double)x * x));
	return one(t, bytes[2]);
}

TEST(prom_grammar)
{
	check_grammar(one(sample(), "a \"query\" \\ of lines"));
	check_grammar(one(histograms(), NULL));
	check_grammar(one(many_types(), "x"));
	for (uint32_t i = 0; i < 1000; i++)
		check_grammar(hostile(i));
}

#define LINT 3		/* promtool's status where it has only advice */

static int promtool(const char *text)
{
	FILE *f = popen("PATH=$PATH:${B:-build}/debian/usr/bin promtool check metrics 2>&1", "w");

	REQUIRE(f);
	fputs(text, f);
	return pclose(f);
}

TEST(prom_promtool)
{
	if (system("PATH=$PATH:${B:-build}/debian/usr/bin; command -v promtool >/dev/null"))
		SKIP("no promtool (package prometheus)");
	CHECK_EQ(promtool(one(sample(), NULL)), 0);
	CHECK_EQ(promtool(one(histograms(), "x | hist(duration)")), 0);
	CHECK_EQ(promtool(one(sample(), "a \"query\" \\ of lines")), 0);
	for (uint32_t i = 0; i < 5; i++) {	/* names that somebody else chose may be bad style */
		int status = promtool(hostile(i));

		CHECK(!status || WEXITSTATUS(status) == LINT);
	}
	CHECK_EQ(WEXITSTATUS(promtool("culprit{a=\"\"\"} 1\n")), 1);
}
