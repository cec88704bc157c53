/* Lists of arguments in a program's memory: argv() and cmdline(), and patterns over them. */
#include "kernel.h"

static struct mm_struct mm;

static const char *const one[] = { "ls", NULL };
static const char *const three[] = { "ls", "-l", "/tmp", NULL };
static const char *const none[] = { NULL };

/* Does the condition hold for an event of this list? */
static bool holds(const char *condition, const char *const *list)
{
	const struct img_table *t;
	uint64_t words[] = { (uint64_t)(uintptr_t)list }, hits;
	char query[128];

	snprintf(query, sizeof(query), "made:event | where %s | count", condition);
	current = (struct task_struct){ .pid = 7, .tgid = 7, .mm = &mm };
	kernel_open(query);
	kernel_run("event", words, 1);
	t = &image->tables.v[0];
	memcpy(&hits, vm.maps[t->rows[0]].array + t->hits_off, 8);
	kernel_close();
	return hits != 0;
}

TEST(args_of_a_list)
{
	static const struct { const char *condition, *const *list; bool holds; } rows[] = {
		{ "argv(list) ~ \"ls\"", one, true }, { "argv(list) ~ \"ls\"", three, false },
		{ "argv(list) ~ \"l\"", one, false }, { "argv(list) ~ \"ls*\"", three, true },
		{ "argv(list) ~ \"*-l*\"", three, true }, { "argv(list) ~ \"*-l*\"", one, false },
		{ "argv(list) ~ \"ls -l /tmp\"", three, true }, { "argv(list) ~ \"ls -l /tm\"", three, false },
		{ "argv(list) ~ \"ls -l /tmp?\"", three, false }, { "argv(list) ~ \"ls?-l*\"", three, true },
		{ "argv(list) ~ \"*\"", none, true }, { "argv(list) ~ \"?*\"", none, false },
		{ "argv(list) ~ \"\"", none, true }, { "argv(list) ~ \"*\"", NULL, true },
		{ "argv(list, 8) ~ \"ls -l*\"", three, true }, { "argv(list, 8) ~ \"*tmp\"", three, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (holds(rows[i].condition, rows[i].list) != rows[i].holds)
			TEST_FAIL("row %zu: %s", i, rows[i].condition);
}

TEST(args_of_a_process)
{
	static const char text[] = "ls\0-l\0/tmp";

	mm.arg_start = (uint64_t)(uintptr_t)text;
	mm.arg_end = mm.arg_start + sizeof(text);
	CHECK(holds("cmdline(task) ~ \"ls -l /tmp\"", NULL));
	CHECK(holds("cmdline(task, 8) ~ \"ls -l*\"", NULL));
	CHECK(!holds("cmdline(task, 8) ~ \"*tmp\"", NULL));
	CHECK(!holds("cmdline(task) ~ \"ls\"", NULL));
	mm.arg_start = 8;			/* not there */
	mm.arg_end = 16;
	CHECK(!holds("cmdline(task) ~ \"?*\"", NULL));
}
