/* Calls that are open since before the start, as rows of `open`: told by /proc live, here by the test. */
#include "session/compile.h"
#include "replay/made.h"
#include "vm/open_rows.h"
#include "test.h"

static struct arena arena;

/* As the running kernel has them: only there /proc is asked. */
static const struct cat_event ends[] = {
	{ .kind = CAT_SYSCALL_ENTER, .system = "raw_syscalls", .name = "sys_enter", .btf_id = 1, .perf_id = 1 },
	{ .kind = CAT_SYSCALL_EXIT, .system = "raw_syscalls", .name = "sys_exit", .btf_id = 2, .perf_id = 2 },
};

static const struct cat_event *live_end(void *self, enum cat_kind kind)
{
	(void)self;
	return &ends[kind == CAT_SYSCALL_EXIT];
}

static const struct img_table *table_of(const struct bpf_image *image, const struct p_query *q)
{
	for (int i = 0; i < image->tables.n; i++)
		if (image->tables.v[i].query == q)
			return &image->tables.v[i];
	return NULL;
}

/* Of two calls of `read`, the later first, after 5 s. */
static struct table *rows_of(const char *query)
{
	static const struct before_call calls[] = {
		{ .tid = 8, .pid = 8, .since_ns = 3000000000, .comm = "late" },
		{ .tid = 7, .pid = 7, .since_ns = 1000000000, .comm = "early" },
	};
	struct err e = { .arena = &arena };
	struct made *m = made_read(&arena, str_of("syscall read fd:s32\n"), &e);
	struct catalog catalog = made_catalog(m);
	struct catalog_ops ops = *catalog.ops;
	struct compile c = { .arena = &arena, .diag.arena = &arena, .catalog = &catalog,
			     .text = { "query", str_of(query) },
			     .options = { .has = { .tp_btf = true, .task_storage = true },
					  .uid = -1, .table_rows = 10240, .max_open = 10240, .cpus_possible = 4 } };
	const struct p_query *q;
	struct open_rows *o;
	struct table *t;

	ops.syscall_event = live_end;
	ops.common = NULL;
	catalog.ops = &ops;
	compile_run(&c, 0);
	REQUIRE(!c.diag.errors && c.image);
	q = c.plan->queries.v[0];
	o = open_rows_open(&e, c.image, true);
	REQUIRE(o != NULL);
	CHECK_EQ(open_rows_before(o, q, calls, 2, &e), 0);
	t = open_rows_table(o, &(struct reading){ .image = c.image, .t = table_of(c.image, q) }, 5000000000,
			    &arena, &e);
	REQUIRE(t != NULL);
	open_rows_close(o);
	return t;
}

/* They began earlier than what tells of them. */
TEST(before_durations_are_the_least)
{
	struct table *t = rows_of("syscall:read | open | let d = duration | print duration, tid, d");

	REQUIRE(t->rows.n == 2);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(t->rows.v[i][0].i, i ? 2000000000 : 4000000000);
		CHECK_EQ(t->rows.v[i][1].i, i ? 8 : 7);
		CHECK(t->rows.v[i][0].at_least && t->rows.v[i][2].at_least);
		CHECK(!t->rows.v[i][1].at_least);
	}
	arena_fini(&arena);
}

TEST(before_what_is_not_told_is_none)
{
	struct table *t = rows_of("syscall:read | where tid == 7 | open | print comm, cgroup");
	const struct cell *comm;

	REQUIRE(t->rows.n == 1);
	comm = &t->rows.v[0][0];
	CHECK(comm->kind == CELL_BYTES && str_is((struct str){ comm->bytes.p, comm->bytes.n }, "early"));
	CHECK_EQ(t->rows.v[0][1].kind, CELL_NONE);
	arena_fini(&arena);
}
