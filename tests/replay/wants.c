/* replay_wants: what a query's programs ask of a trace. */
#include "session/compile.h"
#include "replay/made.h"
#include "replay/wants.h"
#include "test.h"

static const char events[] =
	"event e:plain n:u64 m:u64\n"
	"syscall read fd:s32 buf:ptr count:u64\n"
	"syscall write fd:s32 buf:ptr count:u64\n";

static struct arena arena;

static const struct recorded_wants *wants(const char *query)
{
	static struct catalog catalog;
	struct err e = { .arena = &arena };
	struct compile c = {
		.arena = &arena, .catalog = &catalog, .text = { "query", str_of(query) },
		.options = { .has = { .tp_btf = true, .task_storage = true, .replay = true }, .uid = -1,
			     .table_rows = 100, .max_open = 100, .cpus_possible = 4 },
	};

	arena_fini(&arena);
	catalog = made_catalog(made_read(&arena, str_of(events), &e));
	compile_run(&c, 0);
	REQUIRE(!c.diag.errors && c.image);
	return replay_wants(&arena, c.image);
}

TEST(wants_of_the_model)
{
	static const struct {
		const char *query;
		bool running, thread_ends, time, stacks;
	} rows[] = {
		{ "e:plain | count by n", .running = false },
		{ "syscall:read | max(duration)", .running = true, .thread_ends = true },
		{ "e:plain | count by n | every 1s", .time = true },
		{ "every 10ms | count", .time = true },
		{ "e:plain | count by kstack", .stacks = true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct recorded_wants *w = wants(rows[i].query);

		CHECK_EQ(w->running, rows[i].running);
		CHECK_EQ(w->thread_ends, rows[i].thread_ends);
		CHECK_EQ(w->time, rows[i].time);
		CHECK_EQ(w->stacks, rows[i].stacks);
	}
	arena_fini(&arena);
}

/* Field k is in word k. */
TEST(wants_of_events)
{
	const struct recorded_wants *w = wants("e:plain | where n > 1 | count");

	REQUIRE(w->events.n == 1);
	CHECK_EQ(w->events.v[0].words, RECORD_BIT(0));
	w = wants("e:plain | count by m, tid");
	REQUIRE(w->events.n == 1);
	CHECK_EQ(w->events.v[0].words, RECORD_BIT(1) | RECORD_BIT(RECORD_TID));
	w = wants("e:plain | sum(n); e:plain | sum(m); syscall:read.enter | count");
	REQUIRE(w->events.n == 2);
	CHECK_EQ(w->events.v[0].words, RECORD_BIT(0) | RECORD_BIT(1));
	CHECK(w->events.v[0].any_call && !w->events.v[1].any_call && w->events.v[1].calls[0] == 1);
	w = wants("syscall:*.enter | count");
	REQUIRE(w->events.n == 1);
	CHECK(w->events.v[0].any_call);
	arena_fini(&arena);
}
