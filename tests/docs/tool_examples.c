/*
 * The example in each tool's help: it is there, its command line is one that the tool takes,
 * and what it shows has the columns that this command line prints. Tools of functions that
 * this kernel has not are compared where their test runs them.
 *
 */
#include <ctype.h>

#include "session/compile.h"
#include "kern/feature.h"
#include "kern/catalog/catalog.h"
#include "cli/options.h"
#include "test.h"
#include "cli/tools.h"

#define LINES_MOST 16		/* of an example: command, output and remark */
#define WORDS_MOST 32

/* ---- the example in the text ---- */

struct example {
	char command[1024];		/* "culprit TOOL ...", without its $ and what is behind a | */
	char lines[LINES_MOST][256];	/* of the output */
	int n, remarks;
};

static bool example_of(const char *text, struct example *e)
{
	const char *at = strstr(text, "\n# Example:\n");

	*e = (struct example){ 0 };
	for (at = at ? at + 12 : ""; *at == '#'; at += strcspn(at, "\n") + 1) {
		int n = (int)strcspn(at, "\n");

		if (!strncmp(at, "#     $ ", 8))
			snprintf(e->command, sizeof(e->command), "%.*s", n - 8, at + 8);
		else if (!strncmp(at, "#     ", 6) && e->n < LINES_MOST)
			snprintf(e->lines[e->n++], sizeof(e->lines[0]), "%.*s", n - 6, at + 6);
		else
			e->remarks += n > 2;
	}
	return e->command[0] && e->n && e->remarks;
}

/* As a shell would, up to a pipe. The words are in the command's own memory. */
static int split_words(char *command, char **words)
{
	char *from = command, *to = command;
	int n = 0;

	while (n < WORDS_MOST - 1) {
		char quote = 0;

		while (*from == ' ')
			from++;
		if (!*from || *from == '|')
			break;
		words[n++] = to;
		for (; *from && (quote || *from != ' '); from++)
			if (*from == quote)
				quote = 0;
			else if (!quote && (*from == '\'' || *from == '"'))
				quote = *from;
			else
				*to++ = *from;
		from += *from == ' ';
		*to++ = 0;
	}
	words[n] = NULL;
	return n;
}

/* ---- its columns ---- */

struct name_set {
	char names[64][64];
	int n;
};

static void add_name(struct name_set *s, const char *p, int n)
{
	for (int i = 0; i < s->n; i++)
		if ((int)strlen(s->names[i]) == n && !strncasecmp(s->names[i], p, (size_t)n))
			return;
	REQUIRE(s->n < 64 && n < 64);
	snprintf(s->names[s->n], sizeof(s->names[0]), "%.*s", n, p);
	for (char *c = s->names[s->n++]; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

/* "NAME(us)±6.25%" is NAME, "p50(duration)(us)" is p50(duration). */
static int name_length(const char *word, int n)
{
	int end = (int)strcspn(word, "\xc2 ");
	const char *unit;

	if (end < n)
		n = end;
	unit = memrchr(word, '(', (size_t)n);
	return unit && unit > word && word[n - 1] == ')' && strncmp(unit, "(dur", 4) ? (int)(unit - word) : n;
}

/* A head line "TIME  PID  LATENCY(us)", or "comm = dd, count = 3" above a tree or histogram. */
static void shown_names(const struct example *e, struct name_set *s)
{
	for (int i = 0; i < e->n; i++) {
		const char *line = e->lines[i];
		bool head = (i == 0 || !e->lines[i - 1][0]) && isupper((unsigned char)line[0]);

		while (*line && (head || strstr(line, " = "))) {
			int n = head ? (int)strcspn(line, " ") : (int)(strstr(line, " = ") - line);

			if (n)
				add_name(s, line, name_length(line, n));
			line += n;
			line += head ? strspn(line, " ") : strcspn(line, ",");
			line += strspn(line, ", ");
		}
	}
}

/* Drawn below the others, with no head of its own. */
static bool is_drawn(const struct column *c)
{
	return c->type.kind == TY_HIST || c->type.kind == TY_STACK || c->part;
}

static void printed_names(const struct p_query *q, struct name_set *s)
{
	const struct column *c = q->sink == SINK_AGGS ? q->out : q->columns;
	int n = q->sink == SINK_AGGS ? q->n_out : q->n_columns;

	for (int k = 0; k < n; k++)
		if (!is_drawn(&c[k]))
			add_name(s, c[k].name, (int)strlen(c[k].name));
}

static bool has_name(const struct name_set *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->names[i], name))
			return true;
	return false;
}

/* ---- all of them ---- */

static struct kernel_catalog *kernel;
static struct arena names;

/* Of the plan's queries the example shows at least one, and nothing that is in none. */
static void compare(const char *tool, const struct plan *p, const struct name_set *shown)
{
	struct name_set all = { 0 };
	const char *lacks = NULL;
	bool whole = false;

	for (int i = 0; i < p->queries.n; i++) {
		struct name_set one = { 0 };
		int n = 0;

		if (p->queries.v[i]->is_part)
			continue;
		printed_names(p->queries.v[i], &one);
		printed_names(p->queries.v[i], &all);
		for (int k = 0; k < one.n; k++)
			if (has_name(shown, one.names[k]))
				n++;
			else
				lacks = arena_strdup(&names, one.names[k]);
		whole = whole || n == one.n;
	}
	if (!whole)
		TEST_FAIL("%s: its example lacks the column %s", tool, lacks);
	for (int i = 0; i < shown->n; i++)
		if (!has_name(&all, shown->names[i]))
			TEST_FAIL("%s: its example has a column %s, the tool has none", tool, shown->names[i]);
}

/* A tool that cannot work there, found nothing, or draws a tree. */
static bool has_no_head(const struct example *e)
{
	static const char *const begins[] = { "culprit: ", "(no rows)", " CPU " };
	bool is = false;

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		is = is || !strncmp(e->lines[0], begins[i], strlen(begins[i]));
	return is;
}

/* Whether the columns were compared. */
static bool check_tool(const struct shipped_tool *tool, struct example *e)
{
	struct name_set shown = { 0 };
	char *words[WORDS_MOST];
	struct arena a = { 0 };
	struct err err = { .arena = &a };
	struct options options;
	struct option_set set = { 0 };
	struct compile c = { .arena = &a, .diag.arena = &a, .text = tool_text(&a, tool),
		.catalog = kernel ? kernel_catalog_catalog(kernel) : NULL,
		.options = { .has = { .tp_btf = true, .task_storage = true, .unwind = true },
			     .uid = -1, .table_rows = 10240, .max_open = 10240, .cpus_possible = 4 } };
	bool compared = false;
	int n = split_words(e->command, words);

	if (n < 2 || strcmp(words[0], "culprit") || strcmp(words[1], tool->name)) {
		TEST_FAIL("%s: its example runs something else", tool->name);
		return false;
	}
	options_init(&options, &a);
	if (compile_run(&c, 'a'))
		TEST_FAIL("%s: %s", tool->name, c.diag.items.v[0].message);
	set.ast = c.ast;
	if (options_parse(&options, &set, words + 2, &err))
		TEST_FAIL("%s does not take the options of its example: %s", tool->name, err.causes.v[0]);
	c.options.follow = options.command != NULL;
	c.params = options.params.v;
	c.n_params = options.params.n;
	if (kernel && !has_no_head(e) && !compile_run(&c, 0)) {
		compared = true;
		shown_names(e, &shown);
		compare(tool->name, c.plan, &shown);
	}
	arena_fini(&a);
	return compared;
}

TEST(docs_tool_examples)
{
	struct arena a = { 0 };
	struct err err = { .arena = &a };
	struct features features = { 0 };
	int compared = 0;

	/* nothing is attached here: what the kernel could not do does not matter */
	for (int i = 0; i < FEATURES; i++)
		features.known[i] = features.has[i] = true;
	kernel = kernel_catalog_open(&err, &features);
	for (int i = 0; i < shipped_tool_count; i++) {
		struct example e;

		if (example_of(tool_text(&a, &shipped_tools[i]).text.p, &e))
			compared += check_tool(&shipped_tools[i], &e);
		else
			TEST_FAIL("%s has no example", shipped_tools[i].name);
	}
	printf("# columns of %d of %d compared\n", compared, shipped_tool_count);
	if (kernel) {
		CHECK(compared > shipped_tool_count / 2);
		kernel_catalog_close(kernel);
	}
	features_fini(&features);
	arena_fini(&a);
	arena_fini(&names);
}
