/*
 * The mistakes that reading a query finds: tests/err/TAG.q, each with the
 * places it expects in comments, `# expect: TAG LINE:COLUMN` (tests/err/check.sh
 * says all). A file without a mistake of syntax is the checker's and only has to
 * be read without one.
 */
#include <dirent.h>

#include "lang/ast.h"
#include "lang/diag_tags.h"
#include "test.h"

#define FOLDER "tests/err"

static struct str read_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "r");
	size_t most = 1 << 20;
	char *p = arena_alloc(a, most);
	size_t n;

	REQUIRE(f);
	n = fread(p, 1, most, f);
	fclose(f);
	return (struct str){ p, (int)n };
}

/* The lines "TAG LINE:COLUMN" that the file expects. */
static void expected(struct str text, struct buf *out)
{
	static const char mark[] = "# expect: ";
	int mark_bytes = (int)strlen(mark);

	for (int i = 0, n; i < text.n; i += n + 1) {
		struct str line = str_sub(text, i, -1);

		for (n = 0; n < line.n && line.p[n] != '\n'; n++)
			;
		line.n = n;
		if (str_has_prefix(line, mark))
			buf_printf(out, "%.*s\n", line.n - mark_bytes, line.p + mark_bytes);
	}
}

static void found(const struct diag *d, struct str text, struct buf *out)
{
	for (int i = 0; i < d->items.n; i++) {
		int line = 1, begin = 0;

		for (int k = 0; k < d->items.v[i].loc.at; k++)
			if (text.p[k] == '\n') {
				line++;
				begin = k + 1;
			}
		buf_printf(out, "%s %d:%d\n", d->items.v[i].tag, line, d->items.v[i].loc.at - begin + 1);
	}
}

static int check_file(const char *name)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };
	struct source_text text = { name, { NULL, 0 } };
	struct buf want = { 0 }, got = { 0 };
	struct ast *ast;
	char path[512];
	int errors;

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	text.text = read_file(&a, path);
	ast = parse(&a, &d, &text);
	errors = d.errors;
	/* what a command makes (`# shell:`) is not here: check.sh has it */
	if (errors && !memmem(text.text.p, (size_t)text.text.n, "# shell: ", 9)) {
		expected(text.text, &want);
		found(&d, text.text, &got);
		/* behind mistakes in a `where` there may be more, of names */
		if (ast->readable && got.n < want.n)
			want.p[got.n] = 0;
		if (test_differ(got.p, want.p))
			TEST_FAIL("%s: found\n%sexpected\n%s", name, got.p, want.p ? want.p : "nothing");
	}
	buf_fini(&want);
	buf_fini(&got);
	arena_fini(&a);
	return errors != 0;
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

TEST(err_syntax)
{
	DIR *dir = opendir(FOLDER);
	int files = 0;

	REQUIRE(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		/* too-large is made by a command: tests/lang/parse.c has it */
		if (ends_with(e->d_name, ".q") && strcmp(e->d_name, "too-large.q"))
			files += check_file(e->d_name);
	}
	closedir(dir);
	CHECK(files >= 17);
}

TEST(err_tags_are_unique)
{
	for (const struct diag_row *r = diag_rows; r->tag; r++) {
		CHECK(*r->tag && *r->meaning);
		for (const struct diag_row *o = diag_rows; o != r; o++)
			if (!strcmp(o->tag, r->tag))
				TEST_FAIL("two rows '%s'", r->tag);
	}
}

TEST(err_every_tag_has_a_file)
{
	for (const struct diag_row *r = diag_rows; r->tag; r++) {
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), FOLDER "/%s.q", r->tag);
		f = fopen(path, "r");
		if (f)
			fclose(f);
		else
			TEST_FAIL("no %s", path);
	}
}
