/* JSON and UTF-8: values, and texts that are none. */
#include "base/json.h"
#include "base/utf8.h"
#include "test.h"

static struct arena arena;

TEST(json_values)
{
	const struct json *j = json_read(&arena, str_of(" {\"a\":[1,-2,1.5e3,true,false,null,\"x\\n\\u00e9\\ud83d\\ude00\"],\"b\":{}} "));
	const struct json *a = json_member(j, "a"), *i;

	REQUIRE(j && a && a->n == 7 && j->n == 2);
	i = a->first;
	CHECK(i->kind == JSON_INT && i->u == 1 && str_is(i->text, "1"));
	i = i->next;
	CHECK(i->kind == JSON_INT && i->negative && i->u == (uint64_t)-2 && json_is_number(i));
	i = i->next;
	CHECK(i->kind == JSON_REAL && str_is(i->text, "1.5e3") && json_is_number(i));
	i = i->next;
	CHECK(i->kind == JSON_TRUE && i->next->kind == JSON_FALSE && i->next->next->kind == JSON_NULL);
	i = i->next->next->next;
	CHECK(json_is(i, "x\n\u00e9\U0001f600") && !json_is_number(i));
	CHECK(json_member(j, "b")->kind == JSON_OBJECT && !json_member(j, "c") && !json_member(NULL, "c"));
	CHECK(!json_text(NULL).n && !json_text(j).n);
	arena_fini(&arena);
}

static const char *wrong(const char *text)
{
	const char *why;
	int used;

	CHECK(!json_parse(&arena, str_of(text), &used, &why));
	CHECK(!json_read(&arena, str_of(text)));
	return why;
}

TEST(json_wrong)
{
	char deep[200];

	CHECK_STR(wrong("{\"a\" 1}"), "a colon is missing");
	CHECK_STR(wrong("{1:2}"), "a text is missing");
	CHECK_STR(wrong("\"abc"), "a text does not end");
	CHECK_STR(wrong("\"\\x\""), "an unknown escape in a text");
	CHECK_STR(wrong("\"\\ud800\\u0041\""), "an unknown escape in a text");
	CHECK_STR(wrong("[1 2]"), "a comma or the closing bracket is missing");
	CHECK_STR(wrong("[18446744073709551616]"), "a number that does not fit in 64 bits");
	CHECK_STR(wrong("nul"), "a value is missing");
	CHECK_STR(wrong(""), "a value is missing");
	memset(deep, '[', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	CHECK_STR(wrong(deep), "values are nested too deep");
	CHECK(!json_read(&arena, str_of("1 2")) && !json_read(&arena, str_of("{}}")));
	arena_fini(&arena);
}

/* A tree of 64 MB, whatever else is in the arena. */
TEST(json_bound)
{
	size_t n = 8u << 20;
	char *text = malloc(n + 1);
	const char *why;
	int used;

	memset(text, '1', n);
	for (size_t i = 0; i < n; i += 2)
		text[i] = i ? ',' : '[';
	text[n - 1] = ']';
	CHECK(!json_parse(&arena, (struct str){ text, (int)n }, &used, &why));
	CHECK_STR(why, "it is too large");
	CHECK(arena.bytes > 64u << 20 && arena.bytes < 65u << 20);
	CHECK(json_read(&arena, str_of("[1]")));
	free(text);
	arena_fini(&arena);
}

TEST(utf8)
{
	static const struct {
		uint32_t c;
		const char *bytes;
	} rows[] = {
		{ 'a', "a" }, { 0x7f, "\x7f" }, { 0x80, "\xc2\x80" }, { 0x7ff, "\xdf\xbf" }, { 0x800, "\xe0\xa0\x80" },
		{ 0xd800, "\xed\xa0\x80" }, { 0xffff, "\xef\xbf\xbf" }, { 0x10000, "\xf0\x90\x80\x80" },
		{ 0x10ffff, "\xf4\x8f\xbf\xbf" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char bytes[UTF8_BYTES + 1] = "";

		CHECK_EQ(utf8_put(bytes, rows[i].c), strlen(rows[i].bytes));
		CHECK_STR(bytes, rows[i].bytes);
	}
}
