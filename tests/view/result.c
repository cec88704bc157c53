/* How many rows of events stand behind what is shown: losses are compared with it. */
#include "../table/made.h"
#include "session/compile.h"
#include "plan/agg.h"
#include "session/result.h"
#include "shown.h"
#include "test.h"

static struct p_agg agg_of(const char *name)
{
	double percent;

	return (struct p_agg){ .ops = agg_find(&language, str_of(name), &percent) };
}

/* The rows that are counted for a table with one row of these two cells. */
static uint64_t behind(const char *a, struct cell first, const char *b, struct cell second)
{
	struct column columns[] = { KEY("pid", .kind = TY_PID), VALUE("a", AN_INT),
				    VALUE("b", AN_INT) };
	struct p_agg aggs[] = { agg_of(a), agg_of(b) };
	struct p_query q = { .sink = SINK_AGGS, .n_keys = 1, .keys = columns, .n_aggs = 2,
			     .aggs = aggs, .n_out = 3, .out = columns };
	struct plan plan = { 0 };
	struct arena arena = { 0 };
	struct table *t = made(&arena, columns, 3);
	struct result r;
	struct shown s;
	uint64_t rows;

	vec_push(&arena, &plan.queries, &q);
	made_row(&arena, t, INT_CELL(1), first, second);
	made_row(&arena, t, INT_CELL(2), first, second);
	shown_open(&s, &view_csv, 0);
	shown_start(&s);
	result_open(&r, &plan, &view_csv.sink, s.view, NULL);
	result_tables(&r, &arena, &q, &t, 1);
	rows = r.rows;
	result_close(&r);
	view_csv.close(s.view);
	fclose(s.o.out);
	free(s.text);
	arena_fini(&arena);
	return rows;
}

TEST(result_rows_behind_counts)
{
	CHECK_EQ(behind("sum", INT_CELL(5000000), "count", INT_CELL(1000)), 2000);
	CHECK_EQ(behind("count", INT_CELL(7), "count", INT_CELL(1000)), 2000);
}

TEST(result_rows_behind_histograms)
{
	struct hist h = { .n = 2, .rows = (struct hist_row[]){ { 0, 1, 30 }, { 2, 3, 12 } } };

	CHECK_EQ(behind("hist", HIST_CELL(&h), "count", INT_CELL(40)), 84);
	CHECK_EQ(behind("hist", HIST_CELL(NULL), "max", INT_CELL(40)), 2);
}

TEST(result_rows_without_counts)
{
	CHECK_EQ(behind("max", INT_CELL(5000), "sum", NONE_CELL), 2);
}
