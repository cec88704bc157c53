/* How often the catalog is asked: each written source once, however often it is named. */
#include "session/compile.h"

#include "made_catalog.h"
#include "test.h"

static int n_asked, n_listed;

static const struct cat_event *asked_event(void *self, struct str system, struct str name)
{
	(void)self;
	(void)system;
	n_asked++;
	return str_is(name, "issue") ? &issue : NULL;
}

static void listed(void *self, enum cat_list what, struct str glob,
		   void (*each)(void *arg, const char *name), void *arg)
{
	(void)self;
	(void)what;
	n_listed++;
	if (str_glob(glob, str_of("block:issue")))
		each(arg, "block:issue");
}

/* A query of `leaf` 2^depth times. */
static void doubled(struct arena *a, struct compile *c, int depth, const char *leaf)
{
	static struct catalog_ops ops;
	static const struct catalog catalog = { .ops = &ops };
	struct buf text = { 0 };

	ops = made_catalog_ops;
	ops.event = asked_event;
	ops.list = listed;
	n_asked = n_listed = 0;
	buf_printf(&text, "def d0 = %s\n", leaf);
	for (int i = 1; i <= depth; i++)
		buf_printf(&text, "def d%d = d%d, d%d\n", i, i - 1, i - 1);
	buf_printf(&text, "d%d | count\n", depth);
	*c = (struct compile){
		.arena = a, .catalog = &catalog,
		.text = { "query", str_of(arena_strdup(a, text.p)) },
	};
	buf_fini(&text);
	compile_run(c, 'p');
}

TEST(one_lookup_for_all_copies)
{
	struct arena a = { 0 };
	struct compile c;

	doubled(&a, &c, 8, "block:issue");
	CHECK_EQ(c.diag.errors, 0);
	CHECK_EQ(n_asked, 1);
	arena_fini(&a);
}

TEST(one_mistake_for_all_copies)
{
	struct arena a = { 0 };
	struct compile c;

	doubled(&a, &c, 8, "block:isue");
	CHECK_EQ(c.diag.errors, 1);
	CHECK_EQ(n_asked, 1);
	CHECK_EQ(n_listed, 1);
	arena_fini(&a);
}

TEST(mistakes_of_too_many_copies)
{
	struct arena a = { 0 };
	struct compile c;

	doubled(&a, &c, 29, "block:isue, block:*isue");
	CHECK_EQ(c.diag.errors, 3);
	CHECK_EQ(n_asked, 1);
	arena_fini(&a);
}

/* ---- what is asked of a program's functions ---- */

static bool params_asked;

static void made_functions(void *self, const struct cat_user *u,
			   void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	static const struct cat_field params[] = {
		{ .name = "size", .loc = LOC_FUNCARG, .type = INT_OF(8, true) },
		{ .name = "arg0", .loc = LOC_FUNCARG, .type = INT_OF(8, true) },
	}, ret = { .name = "ret", .loc = LOC_FUNCRET, .type = INT_OF(8, true) };
	static const struct cat_function work = {
		.name = "work", .symbol = "work", .path = "/made", .n_params = 2, .n_spare = 1,
		.params = params, .ret = &ret,
	};

	(void)self;
	params_asked = u->params;
	each(arg, &work);
}

static bool can_all(void *self, enum cat_can what)
{
	(void)self;
	return what != CAN_UPROBE_SESSION;
}

static const struct {
	const char *text;
	bool asked;
} asking[] = {
	{ "/made:work() | count", false },
	{ "/made:work() | count by pid, comm, arg0", false },
	{ "/made:work() | hist(duration) by begin.cpu, end.cpu", false },
	{ "/made:work() | where depth == 0 | n = count by comm | where n > 1 | sort n | print n", false },
	{ "/made:work() | worst 3 by duration print time, current.comm, duration", false },
	{ "/made:work() | n = count by comm; block:issue | sum(bytes)", true },
	{ "def other = (from block:issue to block:complete on rq)\n/made:work() | count", false },
	{ "def other = (from block:issue to /made:work().return on ret)\n/made:work() | count", true },
	{ "param r: flag \"\"\n/made:work() | print pid, ret if $r, size if $r", false },
	{ "param r: flag \"\"\n/made:work() | where size > 1 if $r | count", false },
	{ "param r: flag \"\"\n/made:work() | where size > 1 if !$r | count", true },
	{ "param r: flag \"\"\n/made:work() | print pid if $r, size", true },
	{ "/made:work() | let size = arg0 | where size > 1 | count by size", false },
	{ "def w = (/made:work() | let size = arg0), (block:issue | let size = 1)\nw | count by size", false },
	{ "def w = ((/made:work() | where arg0 == 1), /made:work() | let size = arg0)\nw | count by size", false },
	{ "def w = (/made:work() else block:issue | let size = 1)\nw | count by size", false },
	{ "def w = (from /made:work().enter to /made:work().return on tid | let size = 1)\nw | count by size", false },
	{ "/made:work() | split a = (from block:issue to block:issue on sector) | print pid, parts", false },
	{ "/made:work() | split a = (from block:issue to block:issue on sector) | print bars", false },
	{ "def w = (/made:work() | split a = (from block:issue to block:issue on sector))\nw | print parts", false },
	{ "/made:work() | let size = size | count", true },
	{ "/made:work() | let size = arg0 | count by begin.size", true },
	{ "/made:work() | where size > 1 | let size = 1 | count by size", true },
	{ "def w = (/made:work() | where size > 1 | let size = 1)\nw | count by size", true },
	{ "def w = (/made:work() | let size = arg0), /made:work()\nw | count by size", true },
	{ "def w = (/made:work() | let size = arg0)\nw | count by size; /made:work() | count by size", true },
	{ "def w = (/made:work() | let other = arg0)\nw | count by size", true },
	{ "param r: flag \"\"\n/made:work() | let size = arg0 if $r | count by size", true },
	{ "/made:work()", true },
	{ "/made:work() | where duration > 1ms", true },
	{ "/made:work() | worst 3", true },
	{ "/made:work() | count by size", true },
	{ "/made:work() | where begin.size > 0 | count", true },
	{ "/made:work() | sum(ret)", true },
	{ "/made:work() | sum(duration) where size > 1", true },
	{ "/made:work() | let a = size | count", true },
	{ "/made:work() | count by (arg0 as struct request).flags", true },
	{ "/made:work().return | print pid, ret", true },
	{ "from /made:work().enter on arg0 to /made:work().return on size | count", true },
	{ "def w = (/made:work() | where size > 1)\nw | count", true },
	{ "/made:work() | count; /made:work()", true },
};

TEST(debug_information_only_where_asked)
{
	struct catalog_ops ops = made_catalog_ops;
	struct catalog catalog = { .ops = &ops };

	ops.event = asked_event;
	ops.user_functions = made_functions;
	ops.can = can_all;
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
		struct arena a = { 0 };
		struct compile c = { .arena = &a, .catalog = &catalog,
				     .text = { "query", str_of(asking[i].text) } };

		params_asked = !asking[i].asked;
		compile_run(&c, 'p');
		CHECK_EQ(c.diag.errors, 0);
		CHECK_EQ(params_asked, asking[i].asked);
		arena_fini(&a);
	}
}

/* Two names of one place, and another place. */
static void same_functions(void *self, const struct cat_user *u,
			   void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	static const struct cat_function functions[] = {
		{ .name = "one", .symbol = "one", .path = "/made", .offset = 64 },
		{ .name = "same", .symbol = "same", .path = "/made", .offset = 64 },
		{ .name = "two", .symbol = "two", .path = "/made", .offset = 128 },
	};

	(void)self;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (strstr(u->text.p, functions[i].name) == u->text.p + strlen("/made:"))
			each(arg, &functions[i]);
}

static int n_begins(const char *query)
{
	struct catalog_ops ops = made_catalog_ops;
	struct catalog catalog = { .ops = &ops };
	struct arena a = { 0 };
	struct compile c = { .arena = &a, .catalog = &catalog, .text = { "query", str_of(query) } };
	int n = 0;

	ops.event = asked_event;
	ops.user_functions = same_functions;
	ops.can = can_all;
	compile_run(&c, 'p');
	REQUIRE(!c.diag.errors);
	for (int i = 0; i < c.plan->events.n; i++)
		for (int k = 0; k < c.plan->events.v[i]->actions.n; k++)
			n += c.plan->events.v[i]->actions.v[k].kind == ACT_BEGIN;
	arena_fini(&a);
	return n;
}

TEST(one_begin_for_all_names_of_a_function)
{
	CHECK_EQ(n_begins("from (/made:one().enter, /made:same().enter) on tid to block:issue on sector | count"), 1);
	CHECK_EQ(n_begins("from (/made:one().enter, /made:two().enter) on tid to block:issue on sector | count"), 2);
	CHECK_EQ(n_begins("from (/made:one().enter on tid, /made:same().enter on cpu) to block:issue on sector | count"), 2);
}

/* The kernel probes no return of a call so deep in a thread. */
TEST(begins_of_calls_ask_how_deep_they_are)
{
	struct catalog_ops ops = made_catalog_ops;
	struct catalog catalog = { .ops = &ops };
	struct arena a = { 0 };
	struct compile c = { .arena = &a, .catalog = &catalog, .text = { "query", str_of("/made:work() | sum(duration)") } };

	ops.user_functions = made_functions;
	ops.can = can_all;
	compile_run(&c, 'p');
	REQUIRE(!c.diag.errors && c.plan->events.n > 0);
	for (int i = 0; i < c.plan->events.n; i++)
		for (int k = 0; k < c.plan->events.v[i]->actions.n; k++) {
			const struct p_action *act = &c.plan->events.v[i]->actions.v[k];

			CHECK_EQ(act->too_deep != NULL, act->kind == ACT_BEGIN);
		}
	arena_fini(&a);
}

/* ---- returns that a kernel's probes miss ---- */

static bool tells_missed;

static void kernel_functions(void *self, struct str module, struct str glob,
			     void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	static const struct cat_function work = { .name = "work", .symbol = "work" };

	(void)self, (void)module;
	if (str_glob(glob, str_of("work")))
		each(arg, &work);
}

static bool can_probe(void *self, enum cat_can what)
{
	(void)self;
	return what == CAN_KPROBE_MULTI || (what == CAN_TELL_MISSED && tells_missed);
}

TEST(begins_are_kept_where_missed_returns_are_not_told)
{
	struct catalog_ops ops = made_catalog_ops;
	struct catalog catalog = { .ops = &ops };

	ops.functions = kernel_functions;
	ops.can = can_probe;
	for (int told = 0; told < 2; told++) {
		struct arena a = { 0 };
		struct compile c = { .arena = &a, .catalog = &catalog, .text = { "query", str_of("work() | count") },
				     .options = { .uid = -1 } };

		tells_missed = told;
		compile_run(&c, 'p');
		REQUIRE(!c.diag.errors && c.plan->periods.n == 1);
		CHECK_EQ(c.plan->periods.v[0]->store == STORE_ELIDED, told);
		CHECK_EQ(c.plan->periods.v[0]->c_abandoned >= 0, !told);
		arena_fini(&a);
	}
}

/* ---- a function of one process, or of all ---- */

static void functions_of_process(void *self, const struct cat_user *u,
				 void (*each)(void *arg, const struct cat_function *f), void *arg)
{
	static const struct cat_function one = { .name = "work", .symbol = "work", .path = "/made", .pid = 1 },
		other = { .name = "work", .symbol = "work", .path = "/made", .pid = 2 },
		all = { .name = "work", .symbol = "work", .path = "/made" };

	(void)self;
	each(arg, str_has_prefix(u->text, "pid:1:") ? &one : str_has_prefix(u->text, "pid:2:") ? &other : &all);
}

static int errors_of(const char *query, bool *looked_up)
{
	struct catalog_ops ops = made_catalog_ops;
	struct catalog catalog = { .ops = &ops };
	struct arena a = { 0 };
	struct compile c = { .arena = &a, .catalog = &catalog, .text = { "query", str_of(query) } };

	ops.event = asked_event;
	ops.user_functions = functions_of_process;
	ops.can = can_all;
	*looked_up = false;
	compile_run(&c, 'p');
	for (int i = 0; c.plan && i < c.plan->periods.n; i++)
		*looked_up |= c.plan->periods.v[i]->looked_up;
	arena_fini(&a);
	return c.diag.errors;
}

/* The row's own call, never, or it is not known. */
TEST(calls_of_one_process)
{
	bool looked_up;

	CHECK_EQ(errors_of("pid:1:work() | in pid:1:work() | count", &looked_up), 0);
	CHECK(!looked_up);
	CHECK_EQ(errors_of("pid:1:work() | in /made:work() | count", &looked_up), 0);
	CHECK(!looked_up);
	CHECK_EQ(errors_of("pid:1:work() | in pid:2:work() | count", &looked_up), 0);
	CHECK(looked_up);
	CHECK_EQ(errors_of("/made:work() | in pid:2:work() | count", &looked_up), 1);
	CHECK_EQ(errors_of("pid:1:work() | split pid:1:work() | count", &looked_up), 1);
	CHECK_EQ(errors_of("/made:work() | split pid:1:work() | count", &looked_up), 1);
	CHECK_EQ(errors_of("pid:1:work() | split /made:work() | count", &looked_up), 1);
	CHECK_EQ(errors_of("pid:1:work() | split pid:2:work() | count", &looked_up), 0);
}
