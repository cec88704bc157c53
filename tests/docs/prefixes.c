/*
 * The examples of README.md and docs/, and the shipped tools, through all passes, over
 * a made machine and without privilege: each is read without a mistake of syntax, and every
 * beginning (`make test`: each thirteenth) of every example ends in a result or in mistakes that can be
 * shown, in bounded time.
 */
#include <glob.h>
#include <time.h>

#include "session/compile.h"
#include "replay/made.h"
#include "test.h"

#define EXAMPLE_SECONDS_MOST 2		/* of the CPU, for one beginning; a query takes milliseconds */
#define STEP 13

struct machine {
	struct arena arena;
	struct made *made;
	struct catalog catalog;
};

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 1 << 20);

	if (!f || !fread(text, 1, (1 << 20) - 1, f))
		TEST_FAIL("can't read %s", path);
	if (f)
		fclose(f);
	return text;
}

static void machine_open(struct machine *m)
{
	struct err e = { .arena = &m->arena };
	char *text = read_all("tests/docs/machine.made");

	m->made = made_read(&m->arena, str_of(arena_strdup(&m->arena, text)), &e);
	free(text);
	REQUIRE(m->made);
	m->catalog = made_catalog(m->made);
}

/* ---- examples ---- */

typedef void each_fn(struct machine *m, const char *text, int n);

/* Blocks between ```culprit or ```culprit-kernel and ```. */
static int blocks_of(struct machine *m, const char *text, each_fn *each)
{
	static const char open[] = "\n```culprit";
	int found = 0;

	for (const char *p = text; (p = strstr(p, open));) {
		const char *end = strstr(p += strlen(open), "\n```\n");

		p = strchr(p, '\n');
		if (!end || !p || end < p) {
			TEST_FAIL("a block without an end: %.40s", p ? p : "");
			break;
		}
		each(m, p + 1, (int)(end - p));
		p = end + 4;
		found++;
	}
	return found;
}

static int each_example(each_fn *each)
{
	struct machine m = { 0 };
	glob_t files;
	int found = 0;

	machine_open(&m);
	glob("README.md", 0, NULL, &files);
	glob("docs/*.md", GLOB_APPEND, NULL, &files);
	glob("docs/tools/*.md", GLOB_APPEND, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char *text = read_all(files.gl_pathv[i]);

		found += blocks_of(&m, text, each);
		free(text);
	}
	globfree(&files);
	glob("tools/*.q", 0, NULL, &files);
	for (size_t i = 0; i < files.gl_pathc; i++, found++) {
		char *text = read_all(files.gl_pathv[i]);

		each(&m, text, (int)strlen(text));
		free(text);
	}
	globfree(&files);
	arena_fini(&m.arena);
	return found;
}

/* ---- one compilation ---- */

/* The text stands at the end of its own memory, so that reading past it is found. */
static void compile_init(struct compile *c, struct machine *m, struct arena *a, const char *text,
			 int n)
{
	char *own = malloc((size_t)n + !n);

	memcpy(own, text, (size_t)n);
	*c = (struct compile){ .arena = a, .diag.arena = a, .catalog = &m->catalog,
		.text = { "query", { own, n } },
		.options = { .has = { .tp_btf = true, .task_storage = true, .replay = true },
			     .uid = -1, .table_rows = 10240, .max_open = 10240,
			     .cpus_possible = 4 } };
}

static void compile_fini(struct compile *c)
{
	free((char *)c->text.text.p);
	arena_fini(c->arena);
}

/* Mistakes that only say that the made machine has no structures and no functions, or that
 * a tool must be told what to trace. */
static bool for_want_of_types(const struct diag *d)
{
	static const char *const tags[] = { "type-mismatch", "no-struct", "no-field", "unable",
					    "param-value" };
	int others = 0;

	for (int i = 0; i < d->items.n; i++) {
		others += !d->items.v[i].warning;
		for (size_t k = 0; k < sizeof(tags) / sizeof(*tags); k++)
			others -= !d->items.v[i].warning && !strcmp(d->items.v[i].tag, tags[k]);
	}
	return !others && !d->some_left_out;
}

static void check_example(struct machine *m, const char *text, int n)
{
	struct arena a = { 0 };
	struct compile c;

	compile_init(&c, m, &a, text, n);
	if (compile_run(&c, 'a'))
		TEST_FAIL("%s of: %.60s", c.diag.items.v[0].message, text);
	else if (compile_run(&c, 0) && !for_want_of_types(&c.diag))
		TEST_FAIL("%s: %.60s", c.diag.items.v[0].message, text);
	compile_fini(&c);
}

TEST(docs_examples)
{
	CHECK(each_example(check_example) >= 40);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check_beginnings(struct machine *m, const char *text, int n)
{
	struct buf shown = { 0 };
	int step = test_step(STEP);

	for (int i = n % step; i <= n; i += step) {
		struct arena a = { 0 };
		struct compile c;
		double begin = now_s();
		bool wrong;

		compile_init(&c, m, &a, text, i);
		wrong = compile_run(&c, 0) != 0;
		buf_clear(&shown);
		diag_print(&c.diag, &shown);
		if (wrong != (c.diag.errors > 0) || (wrong && !shown.n) || (!wrong && !c.image))
			TEST_FAIL("no result and no mistake at %d of: %.60s", i, text);
		if (now_s() - begin > EXAMPLE_SECONDS_MOST)
			TEST_FAIL("%d bytes of this take too long: %.60s", i, text);
		compile_fini(&c);
	}
	buf_fini(&shown);
}

TEST(docs_beginnings)
{
	each_example(check_beginnings);
}
