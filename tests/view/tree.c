/* Trees of calls: put together from rows that come when calls end, and drawn. */
#include "../table/made.h"
#include "shown.h"
#include "table/tree.h"
#include "test.h"

static const struct enum_value functions[] = {
	{ "vfs_read", 0 }, { "ext4_file_read_iter", 1 }, { "filemap_read", 2 }, { "touch_atime", 3 },
};
static const struct enum_desc names = { .name = "event", .values = (void *)functions, .n = 4 };

static const struct column columns[TREE_COLUMNS] = {
	[TREE_BEGIN] = VALUE("begin", .kind = TY_TIME, .size = 8),
	[TREE_DURATION] = VALUE("duration", A_DURATION),
	[TREE_TID] = VALUE("tid", .kind = TY_TID, .size = 4),
	[TREE_COMM] = VALUE("comm", A_COMM),
	[TREE_CPU] = VALUE("cpu", .kind = TY_INT, .size = 4),
	[TREE_END_CPU] = VALUE("end.cpu", .kind = TY_INT, .size = 4),
	[TREE_DEPTH] = VALUE("depth", .kind = TY_INT, .size = 8),
	[TREE_NAME] = VALUE("name", .kind = TY_EVENT, .size = 4, .en = &names),
	[TREE_ROWS] = VALUE("missing", .kind = TY_INT, .size = 8),
};
static const struct sink_query query = { .n_columns = TREE_COLUMNS, .columns = columns };

/* A call that has ended; name -1: only the end of the tree. */
static const struct table *ended(struct trees *t, int64_t begin, int64_t end, int64_t tid,
				 int64_t depth, int name, int64_t rows)
{
	struct cell row[TREE_COLUMNS] = {
		[TREE_BEGIN] = INT_CELL(begin), [TREE_DURATION] = INT_CELL(end - begin),
		[TREE_TID] = INT_CELL(tid), [TREE_COMM] = TEXT_CELL("cat\033"),
		[TREE_CPU] = INT_CELL(begin % 4), [TREE_END_CPU] = INT_CELL(end % 4),
		[TREE_DEPTH] = INT_CELL(depth), [TREE_ROWS] = INT_CELL(rows),
		[TREE_NAME] = INT_CELL(name),
	};

	if (name < 0)
		row[TREE_NAME] = (struct cell)NONE_CELL;
	return trees_add(t, row);
}

TEST(tree_as_function_graph)
{
	struct trees *t = trees_open(columns, 0);
	struct shown s;

	shown_open(&s, &view_text, 0);
	shown_start(&s);
	CHECK(!ended(t, 12000, 12501, 7, 2, 2, 1));
	CHECK(!ended(t, 13000, 33002, 7, 2, 3, 2));
	CHECK(!ended(t, 11000, 213001, 7, 1, 1, 3));
	CHECK(!ended(t, 300000, 300600, 7, 1, 3, 4));
	s.ops->sink.tree(s.view, &query, ended(t, 10000, 2000003, 7, 0, 0, 5));
	s.ops->sink.tree(s.view, &query, ended(t, 3000000, 3000001, 7, 0, 0, 1));
	s.ops->sink.tree(s.view, &query, ended(t, 0, 3000000002, 8, 0, 0, 1));
	CHECK_STR(shown_text(&s),
" CPU   DURATION                  FUNCTION CALLS\n"
" ------ cat\\x1b-7 ------\n"
"   0)                 |  vfs_read() {\n"
"   0)                 |    ext4_file_read_iter() {\n"
"   1)        0.501 us |      filemap_read();\n"
"   2) +     20.002 us |      touch_atime();\n"
"   1) !    202.001 us |    }\n"
"   0)        0.600 us |    touch_atime();\n"
"   3) #   1990.003 us |  }\n"
"   1)        0.001 us |  vfs_read();\n"
" ------ cat\\x1b-8 ------\n"
"   2) $ 3000000.002 us |  vfs_read();\n");
	shown_close(&s);
	trees_close(t);
}

TEST(tree_in_markdown)
{
	struct trees *t = trees_open(columns, 0);
	struct shown s;

	shown_open(&s, &view_markdown, 0);
	shown_start(&s);
	s.ops->sink.tree(s.view, &query, ended(t, 10000, 10001, 7, 0, 0, 1));
	s.ops->sink.tree(s.view, &query, ended(t, 20000, 20001, 7, 0, 0, 1));
	CHECK_STR(shown_text(&s), "```\n CPU   DURATION                  FUNCTION CALLS\n"
				  " ------ cat\\x1b-7 ------\n   1)        0.001 us |  vfs_read();\n"
				  "   1)        0.001 us |  vfs_read();\n");
	shown_close(&s);
	trees_close(t);
}

/* The same calls by path: each with its own time, those of the same callers added up. */
TEST(tree_as_stacks)
{
	struct trees *t = trees_open(columns, 0);
	struct sink_query tree = query;
	struct shown s;

	tree.is_tree = true;
	shown_open(&s, &view_folded, 0);
	shown_start(&s);
	CHECK(!s.ops->suits(&tree));
	s.ops->sink.query(s.view, &tree);
	CHECK(!ended(t, 12000, 12501, 7, 2, 2, 1));
	CHECK(!ended(t, 13000, 33002, 7, 2, 3, 2));
	CHECK(!ended(t, 11000, 213001, 7, 1, 1, 3));
	CHECK(!ended(t, 300000, 300600, 7, 1, 3, 4));
	s.ops->sink.tree(s.view, &tree, ended(t, 10000, 2000003, 7, 0, 0, 5));
	s.ops->sink.tree(s.view, &tree, ended(t, 3000000, 3000001, 7, 0, 0, 1));
	CHECK(!ended(t, 4000100, 4000110, 8, 1, 3, 1));
	s.ops->sink.tree(s.view, &tree, ended(t, 4000000, 4000200, 8, 0, 0, 2));
	s.ops->close(s.view);
	fclose(s.o.out);
	CHECK_STR(s.text,
"cat\\x1b;vfs_read 1787593\n"
"cat\\x1b;vfs_read;ext4_file_read_iter 181498\n"
"cat\\x1b;vfs_read;ext4_file_read_iter;filemap_read 501\n"
"cat\\x1b;vfs_read;ext4_file_read_iter;touch_atime 20002\n"
"cat\\x1b;vfs_read;touch_atime 610\n");
	free(s.text);
	trees_close(t);
}

/* As a picture: [depth, frame, ns] of each box, frame -1 is the time before the next call. */
TEST(tree_as_icicle)
{
	static const struct sink_query tree = { .n_columns = TREE_COLUMNS, .columns = columns,
						.is_tree = true };
	static const struct view_ops *const ops[] = { &view_svg, &view_html };

	for (int i = 0; i < 2; i++) {
		struct trees *t = trees_open(columns, 0);
		struct shown s;

		CHECK(!ops[i]->suits(&tree));
		shown_open(&s, ops[i], 0);
		shown_start(&s);
		s.ops->sink.query(s.view, &tree);
		ended(t, 12000, 12501, 7, 2, 2, 1);
		ended(t, 13000, 33002, 7, 2, 3, 2);
		ended(t, 11000, 213001, 7, 1, 1, 3);
		ended(t, 300000, 300600, 7, 1, 3, 4);
		s.ops->sink.tree(s.view, &tree, ended(t, 10000, 2000003, 7, 0, 0, 5));
		s.ops->sink.tree(s.view, &tree, ended(t, 5000000, 5000900, 8, 0, 1, 1));
		s.ops->sink.tree(s.view, &tree, ended(t, 9000000, 9000100, 7, 0, 0, 1));
		ops[i]->close(s.view);
		fclose(s.o.out);
		CHECK(strstr(s.text, "\"kind\":\"icicle\""));
		CHECK(strstr(s.text, "\"nodes\":[0,-1,1991003,1,0,1990103,2,1,1990003,3,-1,1000,3,2,202001,"
			     "4,-1,1000,4,3,501,4,-1,499,4,4,20002,3,-1,86999,3,4,600,2,1,100,"
			     "1,5,900,2,2,900]"));
		free(s.text);
		trees_close(t);
	}
}

TEST(tree_says_what_was_lost)
{
	struct trees *t = trees_open(columns, 0);
	const struct table *tree;

	CHECK(!ended(t, 12, 13, 7, 2, 2, 2));		/* the first and the third were lost */
	tree = ended(t, 10, 20, 7, 0, 0, 4);
	CHECK(tree && tree->rows.n == 2 && tree->rows.v[0][TREE_ROWS].i == 2);
	CHECK(tree && tree->rows.v[1][TREE_DEPTH].i == 1);
	/* the outermost was lost: its inside comes with the next */
	CHECK(!ended(t, 31, 32, 7, 1, 2, 1));
	tree = ended(t, 40, 41, 7, 0, 0, 3);
	CHECK(tree && tree->rows.n == 2 && tree->rows.v[0][TREE_ROWS].i == 1);
	CHECK(tree && tree->rows.v[0][TREE_DEPTH].i == 0 && tree->rows.v[1][TREE_DEPTH].i == 0);
	trees_close(t);
}

TEST(tree_ends)
{
	struct trees *t = trees_open(columns, 0);
	const struct table *tree;

	CHECK(!ended(t, 12, 13, 7, 1, 2, 1));
	tree = ended(t, 0, 0, 7, 0, -1, 1);		/* the outermost made no row */
	CHECK(tree && tree->rows.n == 1 && tree->rows.v[0][TREE_ROWS].kind == CELL_INT &&
	      !tree->rows.v[0][TREE_ROWS].i);
	CHECK(!ended(t, 0, 0, 7, 0, -1, 0));
	CHECK(!ended(t, 22, 23, 7, 1, 2, 1));
	CHECK(!ended(t, 22, 24, 9, 1, 2, 1));
	tree = trees_rest(t);
	CHECK(tree && tree->rows.v[0][TREE_TID].i == 7 &&
	      tree->rows.v[0][TREE_ROWS].kind == CELL_NONE);
	tree = trees_rest(t);
	CHECK(tree && tree->rows.v[0][TREE_TID].i == 9);
	CHECK(!trees_rest(t));
	trees_close(t);
}

/* The second call of the outermost was lost: what was inside of it is not inside of the first, which had ended. */
TEST(tree_of_a_lost_call)
{
	struct trees *t = trees_open(columns, 0);
	const struct table *tree;

	CHECK(!ended(t, 12, 13, 7, 1, 2, 1));
	CHECK(!ended(t, 22, 23, 7, 2, 3, 2));
	tree = ended(t, 10, 30, 7, 0, 0, 4);
	CHECK(tree && tree->rows.n == 3 && tree->rows.v[0][TREE_ROWS].i == 1);
	CHECK(tree && tree->rows.v[1][TREE_DEPTH].i == 1 && tree->rows.v[2][TREE_DEPTH].i == 1);
	trees_close(t);
}

/* Rows that wait are bounded: what would be more is shown in parts. */
TEST(tree_is_bounded)
{
	struct trees *t = trees_open(columns, 0);
	int64_t shown = 0, n = 2 * TREE_ROWS_MOST + 10;
	const struct table *tree;

	for (int64_t i = 0; i < n; i++) {
		tree = ended(t, i, i, 7, 1, 2, i + 1);
		shown += tree ? tree->rows.n : 0;
	}
	CHECK(shown == 2 * TREE_ROWS_MOST);
	tree = ended(t, n, n, 7, 0, 0, n + 1);
	CHECK(tree && tree->rows.n == 11 && !tree->rows.v[0][TREE_ROWS].i);
	trees_close(t);
}
