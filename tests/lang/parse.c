/*
 * The reader of queries: each example's tree, every prefix (`make test`: each fifth) of every example,
 * deep, long and hostile text.
 *
 * tests/lang/golden/X.q has the tree X.ast; the X.q but grammar.q are the examples
 * of the language's description.
 */
#include <dirent.h>
#include <time.h>

#include "lang/ast.h"
#include "lang/diag_tags.h"
#include "test.h"

#define FOLDER "tests/lang/golden"
#define STEP 5

struct parsed {
	struct arena arena;
	struct diag diag;
	struct source_text text;
	struct ast *ast;
};

static void parsed_init(struct parsed *p, const char *text, int n)
{
	*p = (struct parsed){ .text = { "query", { text, n } } };
	p->diag.arena = &p->arena;
	p->ast = parse(&p->arena, &p->diag, &p->text);
}

static void parsed_fini(struct parsed *p)
{
	arena_fini(&p->arena);
}

/* Reads all of the text and prints all that can be printed of it. */
static int mistakes(const char *text, int n)
{
	struct parsed p;
	struct buf out = { 0 };
	int errors;

	parsed_init(&p, text, n);
	ast_print(p.ast, &out);
	diag_print(&p.diag, &out);
	for (size_t i = 0; p.diag.errors && i < out.n; i++)
		CHECK(out.p[i] == '\n' || ((unsigned char)out.p[i] >= ' ' && (unsigned char)out.p[i] <= '~'));
	buf_clear(&out);
	lex_print(&p.text, &out);
	errors = p.diag.errors;
	buf_fini(&out);
	parsed_fini(&p);
	return errors;
}

/* Only mistake's tag, "" for none. */
static void check_tag(const char *text, int n, const char *tag)
{
	struct parsed p;

	parsed_init(&p, text, n);
	CHECK_EQ(p.diag.errors, *tag ? 1 : 0);
	CHECK_STR(p.diag.items.n ? p.diag.items.v[0].tag : "", tag);
	parsed_fini(&p);
}

static char *read_file(const char *folder, const char *name, const char *ending)
{
	char path[512], *text = calloc(1, 1 << 16);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
	f = fopen(path, "r");
	if (!f || !fread(text, 1, (1 << 16) - 1, f))
		TEST_FAIL("can't read %s", path);
	if (f)
		fclose(f);
	return text;
}

/* Calls f with the text of each example; returns how many there were. */
static int each_example(void (*f)(const char *name, const char *text))
{
	DIR *dir = opendir(FOLDER);
	int n = 0;

	REQUIRE(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		char *end = strrchr(e->d_name, '.'), *text;

		if (e->d_name[0] == '.' || !end || strcmp(end, ".q"))
			continue;
		*end = 0;
		text = read_file(FOLDER, e->d_name, ".q");
		f(e->d_name, text);
		free(text);
		n++;
	}
	closedir(dir);
	return n;
}

static void check_golden(const char *name, const char *text)
{
	char *want = read_file(FOLDER, name, ".ast");
	struct parsed p;
	struct buf out = { 0 };

	parsed_init(&p, text, (int)strlen(text));
	if (p.diag.errors)
		diag_print(&p.diag, &out);
	else
		ast_print(p.ast, &out);
	if (test_differ(out.p, want))
		TEST_FAIL("%s is read as\n%snot as\n%s", name, out.p, want);
	buf_fini(&out);
	parsed_fini(&p);
	free(want);
}

TEST(parse_examples)
{
	CHECK(each_example(check_golden) >= 24);
}

static void check_prefixes(const char *name, const char *text)
{
	int all = (int)strlen(text), step = test_step(STEP);

	for (int n = name[0] % step; n < all; n += step) {
		char *exact = malloc((size_t)n + 1);	/* a byte past it is noticed */
		char *cut = memcpy(exact + 1, text, (size_t)n);

		mistakes(cut, n);
		free(exact);
	}
}

TEST(parse_prefixes)
{
	each_example(check_prefixes);
}

/* Each byte (or some) of each example replaced by one that opens or closes something. */
static void check_changed(const char *name, const char *text)
{
	static const char bytes[] = "()|;,\"`=$\n";
	char *copy = strdup(text);
	int all = (int)strlen(text), step = test_step(STEP);

	for (int i = name[0] % step; i < all; i += step) {
		copy[i] = bytes[(i + name[0]) % (int)strlen(bytes)];
		mistakes(copy, all);
		copy[i] = text[i];
	}
	free(copy);
}

TEST(parse_changed)
{
	each_example(check_changed);
}

/* ---- long and deep ---- */

/* head, then n times piece, then tail. */
static struct buf repeated(const char *head, const char *piece, int n, const char *tail)
{
	struct buf b = { 0 };

	buf_puts(&b, head);
	for (int i = 0; i < n; i++)
		buf_puts(&b, piece);
	buf_puts(&b, tail);
	return b;
}

static void check_repeated(const char *head, const char *piece, int n, const char *tail, const char *tag)
{
	/* of what has no bound one length is as good as another */
	struct buf b = repeated(head, piece, *tag || n <= PARSE_STAGES_MOST ? n : n / test_step(10), tail);
	clock_t begin = clock();

	check_tag(b.p, (int)b.n, tag);
	if (clock() - begin > 5 * CLOCKS_PER_SEC)
		TEST_FAIL("%d times '%s' takes %ld s", n, piece, (long)((clock() - begin) / CLOCKS_PER_SEC));
	buf_fini(&b);
}

TEST(parse_deep)
{
	check_repeated("x | where ", "(", 150, "1", DIAG_UNCLOSED);
	check_repeated("x | where ", "(", 1000, "", DIAG_TOO_DEEP);
	check_repeated("x | where ", "(", 500000, "", DIAG_TOO_DEEP);
	check_repeated("x | where ", "!", 500000, "a", DIAG_TOO_DEEP);
	check_repeated("x | where ", "- ", 500000, "a", DIAG_TOO_DEEP);
	check_repeated("x | where a", " + a", 900, "", "");
	check_repeated("x | where a", " + a", 300000, "", DIAG_TOO_DEEP);
	check_repeated("x | where a", ".a", 300000, "", DIAG_TOO_DEEP);
	check_repeated("x | where a", "[a", 300000, "", DIAG_TOO_DEEP);
	check_repeated("x | where a", "[1]", 300000, "", DIAG_TOO_DEEP);
	check_repeated("x | where a", " as u8", 100000, "", DIAG_TOO_DEEP);
	check_repeated("x | where ", "a ? b : ", 100000, "c", DIAG_TOO_DEEP);
	check_repeated("x | where ", "a ? ", 100000, "c", DIAG_TOO_DEEP);
	check_repeated("x | where ", "f(", 100000, "c", DIAG_TOO_DEEP);
	check_repeated("x | where a", " in (a", 100000, "", DIAG_TOO_DEEP);
	check_repeated("x | where a", " in (1)", 100000, "", DIAG_TOO_DEEP);
	check_repeated("x", " else x", 100000, "", DIAG_TOO_DEEP);
	check_repeated("from x", " else x", 100000, " to y", DIAG_TOO_DEEP);
	check_repeated("", "(", 500000, "", DIAG_TOO_DEEP);
	check_repeated("from ", "(", 500000, "", DIAG_TOO_DEEP);
	check_repeated("x | in ", "(", 500000, "", DIAG_TOO_DEEP);
	check_repeated("", "table a = (", 50000, "", DIAG_TOO_LARGE);
}

TEST(parse_long)
{
	check_repeated("x", " | where a", PARSE_STAGES_MOST, "", "");
	check_repeated("x", " | where a", 10000, "", DIAG_TOO_LARGE);
	check_repeated("x | print a", ", a", 300000, "", DIAG_TOO_LARGE);
	check_repeated("x | count", ", count", 150000, "", "");
	check_repeated("x", ", x", 300000, "", "");
	check_repeated("x | split a", ", a", 300000, "", "");
	check_repeated("x | where a in (1", ", 1", 300000, ")", "");
	check_repeated("x", ";x", PARSE_QUERIES_MOST - 1, "", "");
	check_repeated("x", ";x", 500000, "", DIAG_TOO_LARGE);
	check_repeated("", "def a = b;", 100000, "x", "");
	check_repeated("", "param a: b;", PARSE_PARAMS_MOST, "x", "");
	check_repeated("", "param a: b;", 90000, "x", DIAG_TOO_LARGE);
	check_repeated("table a = (b)", ", a = (b)", 100000, "", DIAG_TOO_LARGE);
	check_repeated("from (a", ", a", 300000, ") to b", "");
	check_repeated("", "# a comment\n", 80000, "x", "");
	check_repeated("x | where ", "a", 1000000, "", "");
	check_repeated("", "a:b", 300000, "", "");
	check_repeated("x", " ", 1000000, "y", DIAG_EXPECTED_TOKEN);
	check_repeated("x | print \"", "a\\n", 300000, "\"", "");
	check_repeated("", " ", PARSE_TEXT_BYTES_MOST, "x", DIAG_TOO_LARGE);
}

TEST(parse_many_mistakes)
{
	struct buf b = repeated("", ";|,)", 200000, "");
	int n = mistakes(b.p, (int)b.n);

	CHECK(n > 1 && n <= PARSE_ERRORS_MOST);
	buf_fini(&b);
}

TEST(parse_bytes)
{
	static const char nul[] = "x | where a\0 == 1";

	check_tag(nul, sizeof(nul) - 1, DIAG_BAD_CHARACTER);
	check_tag("x\x1b[31m", 6, DIAG_BAD_CHARACTER);
	check_tag("x\x7f", 2, DIAG_BAD_CHARACTER);
	check_tag("x # \xc2\x9b", 6, DIAG_BAD_CHARACTER);	/* CSI, as one character */
	check_tag("x # \xc0\xaf", 6, DIAG_BAD_CHARACTER);
	check_tag("x # \xed\xa0\x80", 7, DIAG_BAD_CHARACTER);
	check_tag("x # \xf4\x90\x80\x80", 8, DIAG_BAD_CHARACTER);
	check_tag("x # \xe2\x82", 6, DIAG_BAD_CHARACTER);
	check_tag("x # \xe2\x82\xac \xf0\x9f\x90\x9b\r\n", 14, "");
	check_tag("x | where \xe2\x82\xac", 13, DIAG_BAD_CHARACTER);
}

/* ---- definitions and places ---- */

TEST(parse_definition_ends)
{
	struct parsed p;
	static const char text[] = "def a = b:c\n  | where (x\n   == 1)\n  def e = f:g\nh | count by i\n";

	parsed_init(&p, text, (int)strlen(text));
	CHECK_EQ(p.diag.errors, 0);
	CHECK_EQ(p.ast->defs.n, 2);
	CHECK_EQ(p.ast->queries.n, 1);
	parsed_fini(&p);
	check_tag("def a = (b:c\nx", 14, DIAG_UNCLOSED);
	check_tag("def a = b:c x; y", 16, DIAG_EXPECTED_TOKEN);
	check_tag("def a = b:c | let d = e\n(x | where f) | count", 45, "");
}

TEST(parse_places)
{
	static const char text[] = "x | where (a + b) * c == begin.d.e";
	struct parsed p;
	const struct ax *e;

	parsed_init(&p, text, (int)strlen(text));
	REQUIRE(p.ast->queries.n == 1);
	e = p.ast->queries.v[0]->stages.v[0]->expr;
	CHECK(str_is(loc_text(e->loc), "(a + b) * c == begin.d.e"));
	CHECK(str_is(loc_text(e->kids[0]->kids[0]->loc), "(a + b)"));
	CHECK(str_is(loc_text(e->kids[1]->loc), "begin.d.e"));
	CHECK(str_is(loc_text(e->kids[1]->name_loc), "e"));
	CHECK_EQ(e->height, 3);
	parsed_fini(&p);
}

static const char *expr_text(const char *text, struct arena *a)
{
	struct diag d = { .arena = a };
	struct source_text *t = arena_new(a, struct source_text);

	*t = (struct source_text){ "expression", str_of(text) };
	return parse_expr(a, &d, t) ? "" : d.items.v[0].tag;
}

TEST(parse_lone_expression)
{
	struct arena a = { 0 };

	CHECK_STR(expr_text("rq.q->x", &a), DIAG_EXPECTED_TOKEN);
	CHECK_STR(expr_text("rq.q.disk.major << 20 | rq.minor", &a), "");
	CHECK_STR(expr_text("a b", &a), DIAG_EXPECTED_TOKEN);
	CHECK_STR(expr_text("a | count", &a), "");
	CHECK_STR(expr_text("", &a), DIAG_EXPECTED_EXPR);
	CHECK_STR(expr_text("a ;", &a), DIAG_EXPECTED_TOKEN);
	arena_fini(&a);
}
