/* How often the catalog is asked: each written source once, however often it is named. */
#include "compile.h"

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
