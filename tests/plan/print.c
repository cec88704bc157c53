/* The plan's text: every event, action, step, column and query has its line. */
#include "session/compile.h"
#include "replay/made.h"
#include "test.h"

static struct arena arena;

/* Of made events. */
static void print_plan(const char *query, struct buf *out)
{
	struct err e = { .arena = &arena };
	struct made *m = made_read(&arena, str_of("event a:begin id:u32 place:u32\nevent a:end id:u32 place:u32 left:s8\n"
					       "event sched:sched_process_exit\n"), &e);
	struct catalog catalog = made_catalog(m);
	struct compile c = { .arena = &arena, .diag.arena = &arena, .catalog = &catalog,
			     .text = { "query", str_of(query) },
			     .options = { .has = { .tp_btf = true, .task_storage = true, .replay = true },
					  .uid = -1, .table_rows = 10240, .max_open = 10240, .cpus_possible = 4 } };

	compile_run(&c, 'p');
	if (c.diag.errors)
		diag_print(&c.diag, out);
	else
		plan_print(c.plan, out);
}

TEST(plan_text)
{
	struct buf b = { 0 };

	print_plan("a:end | where left < 0 | let x = left * 2 | sample 5 | print x, id; "
		   "from a:begin where id > 1 on id to a:end where left > begin.id on id | count, sum(left) where left > 1 by begin.id", &b);
	CHECK_STR(b.p, "event 0: a:end (decoded event)\n"
		  "    end of period 0\n"
		  "      when, with the begin, (left > kept[0])\n"
		  "      key id\n"
		  "      row of query 1\n"
		  "        key kept[0]\n"
		  "        count\n"
		  "        sum\n"
		  "          of left\n"
		  "          where (left > 1)\n"
		  "    row\n"
		  "      row of query 0\n"
		  "        where (left < 0)\n"
		  "        let 0 = (left * 2)\n"
		  "        sample 5\n"
		  "        column let[0]\n"
		  "        column id\n"
		  "event 1: a:begin (decoded event)\n"
		  "    begin of period 0\n"
		  "      when (id > 1)\n"
		  "      key id\n"
		  "      keep id\n"
		  "period 0: a:begin to a:end; begins are kept in a table; 1 value of them\n"
		  "query 0: x (integer), id (integer)\n"
		  "query 1: begin.id (integer), count (integer), sum(left) (integer); a table, 1 key\n");
	buf_fini(&b);
	arena_fini(&arena);
}

/* What ends with its thread is found by that, whatever its keys are. */
TEST(plan_text_of_exit)
{
	struct buf b = { 0 };

	print_plan("a:end | in (from a:begin on (id, place) to a:end on (id, place)) | count", &b);
	CHECK(strstr(b.p, "event 2: sched:sched_process_exit (decoded event)\n"
			  "    exit of period 0\n"
			  "      key tid as s64\n"
			  "period 0: "));
	buf_fini(&b);
	arena_fini(&arena);
}
