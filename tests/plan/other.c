/* Parameters, constants, lets, `where` without its missing parameters, table stages. */
#include "plan/check.h"
#include "plan/check_type.h"
#include "plan/param.h"
#include "session/compile.h"

#include "made_catalog.h"
#include "test.h"

static struct arena arena;
static struct diag diag;
static struct check_env env;

static struct ax *parsed(const char *text)
{
	struct source_text *t = arena_new(&arena, struct source_text);

	*t = (struct source_text){ "query", str_of(arena_strdup(&arena, text)) };
	return parse_expr(&arena, &diag, t);
}

static void add_param(const char *name, const char *type, const char *value)
{
	struct param *p = vec_add(&arena, &env.params);

	*p = (struct param){ .name = str_of(name), .type_name = str_of(type), .given = value };
	if (value)
		p->value = check_const(&env, parsed(value));
}

static void start(void)
{
	arena_fini(&arena);
	diag = (struct diag){ .arena = &arena };
	env = (struct check_env){ .arena = &arena, .diag = &diag, .catalog = &made_catalog,
				   .registry = &language };
	add_param("latency", "flag", "1");
	add_param("failed", "flag", NULL);
	add_param("errno", "errno", NULL);
	add_param("least", "duration", "5ms");
	add_param("name", "glob", "\"ba*\"");
}

static const char *tag(void)
{
	return diag.items.n ? diag.items.v[0].tag : "";
}

static const char *shown(const struct px *x)
{
	struct buf b = { 0 };
	const char *text;

	px_print(x, &b);
	text = arena_strdup(&arena, b.p);
	buf_fini(&b);
	return text;
}

static struct scope at_issue(void)
{
	return (struct scope){ .env = &env, .end = { .event = &issue, .name = "block:issue" } };
}

TEST(check_const)
{
	int64_t n;

	start();
	CHECK(px_is_number(check_const(&env, parsed("2 * 1KiB")), &n) && n == 2048);
	CHECK(px_is_number(check_const(&env, parsed("-ENOENT")), &n) && n == -2);
	CHECK(px_is_number(check_const(&env, parsed("TCP_SYN_RECV")), &n) && n == 3);
	CHECK(px_is_number(check_const(&env, parsed("$least + 1ms")), &n) && n == 6000000);
	CHECK_EQ(check_const(&env, parsed("\"text\""))->op, PX_TEXT);
	CHECK_STR(tag(), "");
	check_const(&env, parsed("sector"));
	CHECK_STR(tag(), "unknown-name");
	start();
	check_const(&env, parsed("comm"));
	CHECK_STR(tag(), "unknown-name");
}

TEST(params)
{
	struct scope s;

	start();
	s = at_issue();
	CHECK_STR(shown(check_expr(&s, parsed("comm ~ $name"))), "current.comm ~ \"ba*\"");
	CHECK_STR(shown(check_expr(&s, parsed("$latency ? 1 : 2"))), "1");
	CHECK_STR(shown(check_expr(&s, parsed("$failed ? 1 : 2"))), "2");
	CHECK_STR(tag(), "");
	check_expr(&s, parsed("count == -$errno"));
	CHECK_STR(tag(), "param-value");
	start();
	s = at_issue();
	check_expr(&s, parsed("$lest"));
	CHECK_STR(tag(), "unknown-param");
	CHECK(strstr(diag.items.v[0].help, "did you mean 'least'?"));
}

TEST(literals_are_not_shared)
{
	struct scope s;

	start();
	s = at_issue();
	check_expr(&s, parsed("pid == 5 && $least > 3"));
	CHECK_EQ(env.params.v[3].value->type.kind, TY_DURATION);
	add_param("n", "int", "7");
	check_expr(&s, parsed("bytes > $n"));
	CHECK_EQ(vec_last(&env.params).value->type.kind, TY_INT);
}

TEST(lets)
{
	struct scope s;
	struct px *x;

	start();
	s = at_issue();
	*vec_add(&arena, &s.lets) = (struct scope_let){ str_of("sector"), 4, type_duration, true };
	x = check_expr(&s, parsed("sector + 1ms"));
	CHECK_STR(tag(), "");
	CHECK(x->may_none && x->type.kind == TY_DURATION && x->kids[0]->index == 4);
}

static const char *pruned(const char *text)
{
	struct ax *e = where_prune(&env, parsed(text));
	struct scope s = at_issue();

	return e ? shown(check_expr(&s, e)) : "nothing";
}

TEST(where_prune)
{
	start();
	CHECK_STR(pruned("count == -$errno"), "nothing");
	CHECK_STR(pruned("count < 0 && count == -$errno"), "(count < 0)");
	CHECK_STR(pruned("count == -$errno && count < 0"), "(count < 0)");
	CHECK_STR(pruned("count > 1 && (count == $errno && sector > 2)"),
		  "((count > 1) && (sector > 2))");
	CHECK_STR(pruned("count > 1 && (count == $errno || sector > 2)"), "(count > 1)");
	CHECK_STR(pruned("count > 1 && bytes > 3 && sector > 2"),
		  "(((count > 1) && (bytes > 3)) && (sector > 2))");
	CHECK_STR(tag(), "");
	CHECK(!where_prune(&env, NULL));
}

TEST(cond_holds)
{
	start();
	CHECK(cond_holds(&env, &(struct cond){ .present = false }));
	CHECK(cond_holds(&env, &(struct cond){ .present = true, .param = str_of("latency") }));
	CHECK(!cond_holds(&env, &(struct cond){ .present = true, .param = str_of("failed") }));
	CHECK(cond_holds(&env, &(struct cond){ .present = true, .negated = true,
					       .param = str_of("failed") }));
	CHECK_STR(tag(), "");
	CHECK(!cond_holds(&env, &(struct cond){ .present = true, .param = str_of("faild") }));
	CHECK_STR(tag(), "unknown-param");
}

/* As long as the parser lets it be: no stack is used up. */
TEST(long_chains)
{
	struct buf b = { 0 };
	struct scope s;
	struct px *x;

	start();
	s = at_issue();
	for (int i = 0; i < PARSE_HEIGHT_MOST - 10; i++)
		buf_printf(&b, "count == %d || ", i);
	buf_puts(&b, "sector > 3");
	x = check_expr(&s, where_prune(&env, parsed(b.p)));
	CHECK_STR(tag(), "");
	CHECK(x->op == PX_BINARY && px_equal(x, x) && strlen(shown(x)) > 1000);
	buf_fini(&b);
}

/* ---- table stages ---- */

static const struct column columns[] = {
	{ .name = "op", .type = { .kind = TY_ENUM, .en = &made_op_enum }, .role = COL_KEY },
	{ .name = "comm", .type = { .kind = TY_STRING, .bytes = 16 }, .role = COL_KEY },
	{ .name = "count", .type = { .kind = TY_INT, .size = 8 } },
	{ .name = "sum(duration)", .type = { .kind = TY_DURATION, .is_signed = true } },
	{ .name = "hits.count", .type = { .kind = TY_INT, .size = 8 } },
	{ .name = "hist(duration)", .type = { .kind = TY_HIST } },
	{ .name = "bytes", .type = { .kind = TY_SIZE, .size = 8 } },
};

static int slots;

static const char *table(const char *text)
{
	struct tx *x;

	start();
	slots = 0;
	x = check_table_expr(&env, (struct table_scope){ columns, 7, &slots }, parsed(text));
	return diag.items.n ? tag() : x ? type_name(&x->type) : "NULL";
}

TEST(table_columns)
{
	CHECK_STR(table("count"), "integer");
	CHECK_STR(table("sum( duration )"), "duration");
	CHECK_STR(table("hits.count + 1"), "integer");
	CHECK_STR(table("cout"), "unknown-name");
	CHECK(strstr(diag.items.v[0].help, "did you mean 'count'?"));
	CHECK_STR(table("hist(duration)"), "type-mismatch");
	CHECK_STR(table("begin.comm"), "unknown-name");
}

TEST(table_types)
{
	CHECK_STR(table("hits.count / count"), "real");
	CHECK_STR(table("sum(duration) / count"), "duration");
	CHECK_STR(table("sum(duration) / 1ms"), "real");
	CHECK_STR(table("count * 1ms"), "duration");
	CHECK_STR(table("count * 0.5"), "real");
	CHECK_STR(table("max(count - 1, 0)"), "integer");
	CHECK_STR(table("sum(duration) > 1ms && count > 5"), "bool");
	CHECK_STR(table("sum(duration) + bytes"), "type-mismatch");
	CHECK_STR(table("sum(duration) > bytes"), "type-mismatch");
	CHECK_STR(table("comm + 1"), "not-a-number");
	CHECK_STR(table("op == WRITE"), "bool");
	CHECK_STR(table("WRITE == op"), "bool");
	CHECK_STR(table("op in (READ, WRITE)"), "bool");
	CHECK_STR(table("comm ~ \"ba*\" || comm == \"x\""), "bool");
	CHECK_STR(table("count ~ \"ba*\""), "not-a-string");
	CHECK_STR(table("count > 1 ? sum(duration) : 0"), "duration");
	CHECK_STR(table("-count"), "integer");
	CHECK_STR(table("count > $least"), "bool");
}

/* The rules of rows, but any value that is no number is a text. */
TEST(table_rules)
{
	CHECK_STR(table("comm == 5"), "type-mismatch");
	CHECK_STR(table("comm < \"m\""), "bool");
	CHECK_STR(table("!comm"), "not-a-number");
	CHECK_STR(table("op == NOSUCH"), "no-enumerator");
	CHECK_STR(table("sum(duration) > 5"), "bare-number");
	CHECK_STR(table("bytes / 1024"), "unit-left");
	CHECK_STR(table("count / 0"), "out-of-range");
	CHECK_STR(table("count > 1 ? 1 : 0.5"), "real");
	CHECK_STR(table("count > 1 ? sum(duration) : bytes"), "type-mismatch");
	CHECK_STR(table("-0.5 * count"), "real");
	CHECK_STR(table("count in (1, 2.5)"), "bool");
	CHECK_STR(table("count in (count, 2)"), "type-mismatch");
}

TEST(table_functions)
{
	CHECK_STR(table("delta(count) + delta(bytes)"), "size");
	CHECK_EQ(slots, 2);
	CHECK_STR(table("share(count)"), "share");
	CHECK_STR(table("meminfo(\"Cached\")"), "size");
	CHECK_STR(table("env(\"HOME\")"), "real");
	CHECK_STR(table("delta(count + 1)"), "not-a-number");
	CHECK_STR(table("env(count)"), "not-a-string");
	CHECK_STR(table("disk(count)"), "stage-order");
	CHECK_STR(table("nofunc(count)"), "unknown-function");
	CHECK_STR(table("share()"), "arg-count");
}

static const char *expanded(const char *text)
{
	struct str out;

	return params_expand(&env, str_of(text), (struct loc){ 0 }, &out)
		? arena_strndup(&arena, out.p, (size_t)out.n) : NULL;
}

TEST(params_in_sources)
{
	start();
	add_param("call", "source", "\"vfs_read()\"");
	CHECK(params_in_source(str_of("$name()")));
	CHECK(params_in_source(str_of("libc.so:$name()")));
	CHECK(!params_in_source(str_of("cpu@$hz")));
	CHECK(!params_in_source(str_of("vfs_read()")));
	CHECK_STR(expanded("$name()"), "ba*()");
	CHECK_STR(expanded("libc.so:$name().return"), "libc.so:ba*().return");
	CHECK_STR(expanded("$name-$name"), "ba*-ba*");
	CHECK_STR(expanded("$call().enter"), "vfs_read().enter");
	CHECK_STR(expanded("$call"), "vfs_read()");
	CHECK_STR(expanded("a$"), "a$");
	CHECK_EQ(diag.errors, 0);
	CHECK(!expanded("$errno()"));
	CHECK_STR(tag(), "param-value");
	CHECK(!expanded("$least()"));
	CHECK_STR(vec_last(&diag.items).tag, "param-type");
	CHECK(!expanded("$nobody()"));
	CHECK_STR(vec_last(&diag.items).tag, "unknown-param");
}

/* Of two numbers the common type is the wider one's, whichever stands first. */
TEST(numbers_have_a_common_type)
{
	static const enum type_kind order[] = { TY_BOOL, TY_INT, TY_REAL, TY_RATE };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		for (size_t k = 0; k <= i; k++) {
			struct px a = { .op = PX_SLOT, .type = { .kind = order[i], .size = 8 } };
			struct px b = { .op = PX_SLOT, .type = { .kind = order[k], .size = 8 } };

			CHECK_EQ(type_common(&a, &b).kind, order[i]);
			CHECK_EQ(type_common(&b, &a).kind, order[i]);
		}
}
