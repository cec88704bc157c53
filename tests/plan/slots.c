/* What a plan keeps of begins, and which actions it has: no more of either than differ. */
#include "replay/made.h"
#include "session/compile.h"

#include "test.h"

static const char events[] =
	"event e:from id:s64 pid:tid comm:comm\n"
	"event e:to id:s64\n"
	"syscall read fd:s32 buf:ptr count:u64\n"
	"syscall openat dfd:s32 filename:cstr flags:s32\n"
	"syscall getpid\n"
	"syscall rt_sigreturn\n";

static struct arena arena;
static struct compile c;

static const struct plan_options recorded = {
	.has = { .tp_btf = true, .task_storage = true, .replay = true },
	.uid = -1, .table_rows = 100, .max_open = 100, .cpus_possible = 4
};

/* As the running kernel's are. */
static void make_attachable(const struct catalog *of)
{
	const struct cat_event *all[] = {
		of->ops->syscall_event(of->self, CAT_SYSCALL_ENTER), of->ops->syscall_event(of->self, CAT_SYSCALL_EXIT),
		of->ops->event(of->self, str_of("e"), str_of("from")), of->ops->event(of->self, str_of("e"), str_of("to")),
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		((struct cat_event *)all[i])->btf_id = 1;
}

static const struct plan *asked_plan(const char *query, struct plan_options options)
{
	static struct catalog catalog;
	struct err e = { .arena = &arena };

	arena_fini(&arena);
	catalog = made_catalog(made_read(&arena, str_of(events), &e));
	if (!options.has.replay)
		make_attachable(&catalog);
	c = (struct compile){ .arena = &arena, .catalog = &catalog, .text = { "query", str_of(query) },
			      .options = options };
	compile_run(&c, 'p');
	return c.plan;
}

static const struct plan *plan_of(const char *query, struct plan_options options)
{
	const struct plan *p = asked_plan(query, options);

	CHECK_EQ(c.diag.errors, 0);
	return p;
}

static const struct plan *plan(const char *query)
{
	return plan_of(query, recorded);
}

/* Of all events. */
static int actions(const char *query)
{
	const struct plan *p = plan(query);
	int n = 0;

	for (int i = 0; p && i < p->events.n; i++)
		n += p->events.v[i]->actions.n;
	return n;
}

TEST(calls_split_by_what_is_loaded)
{
	CHECK_EQ(actions("syscall:* | count by event"), 1);
	CHECK_EQ(actions("syscall:* | count by fd"), 2);	/* of those that have one, of the others */
}

/* A column's name, or a let's, is no parameter's. */
TEST(calls_not_split_by_columns)
{
	CHECK_EQ(actions("syscall:* | count by event | top 10 by count"), 1);
	CHECK_EQ(actions("syscall:* | count by event | let fd = count * 2 | where fd > 1"), 1);
	CHECK_EQ(actions("syscall:* | let count = ret | sum(count) by event"), 1);
	CHECK_EQ(actions("syscall:* | sum(duration), count by comm | top 10 by count"), 2);
	CHECK_EQ(plan("syscall:* | count by event | top 10 by count")->queries.v[0]->branches.n, 1);
}

/* What another query loads splits only that one. */
TEST(calls_split_by_query)
{
	CHECK_EQ(actions("syscall:*.enter | count by event; syscall:*.enter | count by fd"), 1 + 2);
}

static int slots(const char *query)
{
	const struct plan *p = plan(query);

	return p && p->periods.n == 1 ? plan_n_kept(p->periods.v[0]) : -1;
}

TEST(one_slot_however_it_is_written)
{
	CHECK_EQ(slots("syscall:read | count by comm"), 1);
	CHECK_EQ(slots("syscall:read | count by comm, b = begin.comm, c = begin . comm, d = current.comm"), 1);
	CHECK_EQ(slots("def r = syscall:read; r | count by comm; r | count by begin.comm"), 1);
	CHECK_EQ(slots("from e:from on id to e:to on id | count by pid, begin.pid"), 1);
	CHECK_EQ(slots("from e:from on id to e:to on id | count by pid, begin.id"), 2);
}

/* The field comm of e:from, and the comm of the thread at it. */
TEST(two_slots_where_they_differ)
{
	CHECK_EQ(slots("from e:from on id to e:to on id | count by comm, c = begin.current.comm"), 2);
}

TEST(what_nothing_reads_is_not_kept)
{
	CHECK_EQ(slots("from e:from on id to e:to on id | count by x = 1 ? begin.id : begin.pid"), 1);
	CHECK_EQ(slots("from e:from on id to e:to on id | let p = begin.pid | let q = p | count by begin.id"), 1);
	CHECK_EQ(slots("from e:from to e:to where id == begin.id && id > begin.pid | count"), 1);
	CHECK_EQ(slots("syscall:read | let f = fd | count"), 0);
	CHECK_EQ(plan("syscall:read | let f = fd | count")->periods.v[0]->store, STORE_ELIDED);
}

/* Of what the running kernel is asked. */
static const struct plan *live_plan(const char *query, bool follow)
{
	struct plan_options options = recorded;

	options.has.replay = false;
	options.follow = follow;
	return plan_of(query, options);
}

static const char *shown(const struct px *x)
{
	static char got[128];
	struct buf b = { 0 };

	px_print(x, &b);
	snprintf(got, sizeof(got), "%s", b.p);
	buf_fini(&b);
	return got;
}

static const struct px *live_key(const char *query)
{
	return live_plan(query, false)->queries.v[0]->branches.v[0]->keys[0];
}

/* A text may not be in memory yet when the call begins. */
TEST(only_texts_of_a_call_are_read_again)
{
	CHECK_EQ(live_key("syscall:openat | count by str(filename)")->op, PX_ELSE);
	CHECK_EQ(live_key("syscall:openat | count by begin.cpu")->op, PX_SLOT);
}

TEST(only_events_of_the_command)
{
	const struct plan *p = live_plan("e:from | count", true);

	CHECK_STR(shown(p->events.v[0]->actions.v[0].guard), "current.task is of the command");
}

/* Process 7, which began `began_ns` after boot; 0: nobody knows. */
static const struct plan *with_children(uint64_t began_ns)
{
	static int64_t pid = 7;
	static uint64_t ns;
	struct plan_options options = recorded;

	ns = began_ns;
	options.has.replay = false;
	options.follow = options.children = true;
	options.n_pids = 1;
	options.pids = &pid;
	options.pids_began_ns = &ns;
	return asked_plan("e:from | count", options);
}

TEST(only_events_of_a_process_and_its_children)
{
	const struct plan *p = with_children(0);

	CHECK_EQ(c.diag.errors, 0);
	CHECK_STR(shown(p->events.v[0]->actions.v[0].guard), "(pid as s64 in (7) || current.task is of the command)");
}

/* This catalog does not know when a process began. */
TEST(a_process_that_cannot_be_told_is_a_mistake)
{
	with_children(1000);
	CHECK(c.diag.errors > 0);
}

static int live_store(const char *query)
{
	return live_plan(query, false)->periods.v[0]->store;
}

TEST(begins_of_a_cpu_are_kept_by_cpu)
{
	CHECK_EQ(live_store("from e:from on cpu to e:to on cpu | count"), STORE_CPU);
	CHECK_EQ(live_store("from e:from on time to e:to on time | count"), STORE_HASH);
	CHECK_EQ(live_store("from e:from on cpu + 0 to e:to on cpu | count"), STORE_HASH);
	CHECK_EQ(live_store("from e:from on cpu to e:to on cpu + 0 | count"), STORE_HASH);
}

TEST(begins_that_are_looked_up_are_kept_in_the_thread)
{
	CHECK_EQ(plan("e:to | in syscall:read | count")->periods.v[0]->store, STORE_TASK);
}
