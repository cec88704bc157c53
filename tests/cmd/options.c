/* The command line as data: cli/options.h. */
#include "cli/options.h"

#include "test.h"
#include "view/view.h"

static struct arena arena;
static struct err err;
static struct options o;

static const char tool_text[] =
	"param latency L: flag \"total time\"\n"
	"param errno   e: errno \"calls that failed with this only\"\n"
	"param show_uid : flag \"the user\"\n"
	"param top:       int = 10 \"so many rows\"\n"
	"syscall:read | count\n";
static const char slower_text[] =
	"param min: duration = 10ms \"slower than this only\"\n"
	"syscall:read | where duration > $min\n";

static const struct ast *tool(const char *z)
{
	struct source_text *text = arena_new(&arena, struct source_text);
	struct diag d = { .arena = &arena };

	*text = (struct source_text){ "tool", str_of(z) };
	return parse(&arena, &d, text);
}

/* Parses; the arguments end with NULL. */
static int parse_all(const char *tool_z, const char *const *args)
{
	struct option_set set = { .ast = tool(tool_z) };
	char **argv = arena_array(&arena, char *, 32);	/* o.command points into it */
	int n = 0;

	for (; args[n]; n++)
		argv[n] = arena_strdup(&arena, args[n]);
	argv[n] = NULL;
	err = (struct err){ .arena = &arena };
	options_init(&o, &arena);
	return options_parse(&o, &set, argv, &err);
}
#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char *last_cause(void)
{
	return err.causes.n ? err.causes.v[err.causes.n - 1] : NULL;
}

TEST(options_letters_and_names)
{
	REQUIRE(!parse_all(tool_text, ARGS("-p12,13", "--pid=14", "-d", "1.5ms", "-i2", "-n", "3",
					   "-Tqv", "--comm", "a*")));
	CHECK_EQ(o.pids.n, 3);
	CHECK_EQ(o.pids.v[2], 14);
	CHECK_EQ(o.duration_ns, 1500000);
	CHECK_EQ(o.interval_ns, 2000000000);
	CHECK_EQ(o.intervals, 3);
	CHECK(o.timestamp && o.quiet && o.verbose);
	CHECK_STR(o.comm, "a*");
	CHECK_EQ(o.table_rows, 0);
}

TEST(options_of_the_tool)
{
	REQUIRE(!parse_all(tool_text, ARGS("-Le", "ENOENT", "--top=5", "--show-uid", "-eEIO")));
	REQUIRE(o.params.n == 5);
	CHECK_STR(o.params.v[0].name, "latency");
	CHECK_STR(o.params.v[0].value, NULL);
	CHECK_STR(o.params.v[1].value, "ENOENT");
	CHECK_STR(o.params.v[2].name, "top");
	CHECK_STR(o.params.v[2].value, "5");
	CHECK_STR(o.params.v[3].name, "show_uid");
	CHECK_STR(o.params.v[4].value, "EIO");
}

TEST(options_plain_arguments_are_interval_and_count)
{
	REQUIRE(!parse_all(tool_text, ARGS("1", "-L", "7")));
	CHECK_EQ(o.interval_ns, 1000000000);
	CHECK_EQ(o.intervals, 7);
	CHECK(parse_all(tool_text, ARGS("1", "2", "3")));
	CHECK_STR(last_cause(), "'3' is one argument too many");
	CHECK(parse_all(tool_text, ARGS("word")));
}

TEST(options_plain_argument_is_the_threshold)
{
	REQUIRE(!parse_all(slower_text, ARGS("20ms")));
	CHECK_EQ(o.params.n, 1);
	CHECK_STR(o.params.v[0].name, "min");
	CHECK_STR(o.params.v[0].value, "20ms");
	CHECK_EQ(o.interval_ns, 0);
	CHECK(parse_all(slower_text, ARGS("20ms", "1")));
}

TEST(options_command)
{
	REQUIRE(!parse_all(tool_text, ARGS("-L", "--", "ls", "-d", "--nosuch")));
	REQUIRE(o.command != NULL);
	CHECK_STR(o.command[0], "ls");
	CHECK_STR(o.command[2], "--nosuch");
	CHECK_EQ(o.duration_ns, 0);
	CHECK(parse_all(tool_text, ARGS("--")));
}

TEST(options_wrong)
{
	static const struct {
		const char *args[3], *cause;
	} cases[] = {
		{ { "--nosuch" }, "there is no option --nosuch" },
		{ { "-Z" }, "there is no option -Z" },
		{ { "--latency=1" }, "--latency takes no value" },
		{ { "--self=1" }, "--self takes no value" },
		{ { "-e" }, "-e needs ERROR" },
		{ { "--pid" }, "--pid needs PID[,PID]" },
		{ { "--pid", "" }, "--pid : write a number" },
		{ { "-d", "99999999999999h" }, NULL },
		{ { "-n", "9223372036854775808" }, NULL },
		{ { "--budget", "nan" }, NULL },
		{ { "--max-open", "-1" }, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK(parse_all(tool_text, cases[i].args) < 0);
		if (cases[i].cause)
			CHECK_STR(last_cause(), cases[i].cause);
		else
			CHECK(last_cause() != NULL);
	}
}

TEST(options_every_letter_is_one_option)
{
	for (const struct option_row *r = option_common; r->name; r++)
		for (const struct option_row *s = r + 1; s->name; s++) {
			CHECK(strcmp(r->name, s->name));
			CHECK(!r->letter || r->letter != s->letter);
		}
}

TEST(options_clash_with_a_parameter)
{
	const struct ast *ast = tool("param pid: int \"x\"\nparam own q: flag \"y\"\n"
				     "param fine f: flag \"z\"\nparam help: flag \"h\"\nsyscall:read\n");

	REQUIRE(ast->params.n == 4);
	CHECK(option_clash(&ast->params.v[0]) != NULL);
	CHECK(option_clash(&ast->params.v[1]) != NULL);
	CHECK(option_clash(&ast->params.v[2]) == NULL);
	CHECK(option_clash(&ast->params.v[3]) != NULL);
}

TEST(options_help_has_each_row)
{
	struct buf b = { 0 };

	options_print(option_common, &b);
	options_print_params(tool(tool_text), &b);
	for (const struct option_row *r = option_common; r->name; r++)
		CHECK(strstr(b.p, r->name) && (*r->help == '@' || strstr(b.p, r->help)));
	for (int i = 0; view_registry[i]; i++)
		CHECK(strstr(b.p, view_registry[i]->name));
	CHECK(strstr(b.p, "FORMAT       text, json, ") && !strchr(b.p, '@'));
	CHECK(strstr(b.p, "--top N"));
	CHECK(strstr(b.p, "so many rows (10)"));
	CHECK(strstr(b.p, "--show-uid"));
	buf_fini(&b);
	arena_fini(&arena);
}
