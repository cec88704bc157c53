/* What a mistake looks like, whatever the query's bytes are. */
#include "base/diag.h"
#include "test.h"

TEST(diag_shape)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };
	struct source_text t = { "query", str_of("from a\n| count by sectr") };
	struct buf out = { 0 };

	diag_warning(&d, "odd", (struct loc){ &t, 0, 4 }, "odd");
	diag_error(&d, "no-field", (struct loc){ &t, 18, 5 }, "no field '%s'", "sectr");
	diag_help(&d, "did you mean 'sector'?");
	diag_error(&d, "none", (struct loc){ NULL, 0, 0 }, "no place");
	diag_print(&d, &out);
	CHECK_STR(out.p,
		  "culprit: query:2:12: no field 'sectr' [no-field]\n"
		  "  | count by sectr\n"
		  "             ^~~~~\n"
		  "help: did you mean 'sector'?\n"
		  "culprit: no place [none]\n"
		  "culprit: query:1:1: warning: odd [odd]\n  from a\n  ^~~~\n");
	buf_fini(&out);
	arena_fini(&a);
}

TEST(diag_hostile_text)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };
	struct source_text t = { "fi\033le", str_of("a\x9b\x1b[2J\tb") };
	struct buf out = { 0 };

	diag_error(&d, "x", (struct loc){ &t, 1, 99 }, "no '%s'", "\x1b]0;\x07\n\xc2\x9b");
	diag_help(&d, "write \x1b[31m");
	diag_print(&d, &out);
	for (size_t i = 0; i < out.n; i++)
		CHECK(out.p[i] == '\n' || (out.p[i] >= ' ' && out.p[i] <= '~'));
	CHECK(strstr(out.p, "culprit: fi?le:1:2: no '?]0;?\?\?\?' [x]\n"));
	buf_fini(&out);
	arena_fini(&a);
}

TEST(diag_many)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };
	char text[2 * DIAG_KEPT_MOST];
	struct source_text t = { "query", { memset(text, 'a', sizeof(text)), sizeof(text) } };
	struct buf out = { 0 };

	for (int i = 0; i < 100000; i++)
		diag_error(&d, "x", (struct loc){ &t, i % t.text.n, 1 }, "mistake %d", i);
	CHECK_EQ(d.errors, 100000);
	CHECK_EQ(d.items.n, DIAG_KEPT_MOST);
	diag_print(&d, &out);
	CHECK(out.n < 5000 && strstr(out.p, "culprit: and many more\n"));
	buf_fini(&out);
	arena_fini(&a);
}

/* Of each event that a glob means. */
TEST(diag_says_a_place_once)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };
	struct source_text t = { "query", str_of("abc") };
	struct buf out = { 0 };

	for (int i = 0; i < 3000; i++) {
		diag_error(&d, "x", (struct loc){ &t, 1, 1 }, "mistake");
		diag_help(&d, "help %d", i);
	}
	diag_print(&d, &out);
	CHECK(!strcmp(out.p, "culprit: query:1:2: mistake [x]\n  abc\n   ^\nhelp: help 0\n"));
	buf_fini(&out);
	arena_fini(&a);
}
