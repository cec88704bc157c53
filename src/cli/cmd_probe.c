/*
 * trace and argdist with a probe as bcc's tools of these names take it: the line that asks the
 * same here.
 */
#include <string.h>

#include "cli/cmd.h"
#include "cli/query.h"
#include "kern/catalog/catalog.h"
#include "lang/probe.h"

static void put_values(struct buf *b, const struct probe_here *here, const char *before)
{
	for (int i = 0; i < here->values.n; i++)
		buf_printf(b, "%s%s", i ? ", " : before, here->values.v[i]);
}

/* A C text of what is in the buffer, which is emptied. */
static void put_option(struct buf *line, const char *option, struct buf *value)
{
	buf_putc(value, 0);
	if (option)
		put_word(line, option);
	put_word(line, value->p);
	buf_fini(value);
}

static void put_condition(struct buf *line, const struct probe_here *here)
{
	if (!here->condition)
		return;
	put_word(line, "-f");
	put_word(line, here->condition);
}

static void put_trace(struct buf *line, const struct probe *p, const struct probe_here *here, bool histogram)
{
	struct buf show = { 0 };

	(void)p, (void)histogram;
	buf_puts(line, "culprit trace");
	put_word(line, here->source);
	put_condition(line, here);
	if (!here->format && !here->values.n)
		return;
	buf_puts(&show, here->format ? here->format : "");
	put_values(&show, here, here->format ? ", " : "");
	put_option(line, "-s", &show);
}

/* Values together are keys of a table. */
static void put_table(struct buf *line, const struct probe_here *here)
{
	struct buf query = { 0 };

	buf_printf(&query, "%s", here->source);
	if (here->condition)
		buf_printf(&query, " | where %s", here->condition);
	buf_puts(&query, " | n = count");
	put_values(&query, here, " by ");
	buf_puts(line, "culprit run");
	put_option(line, NULL, &query);
}

/* Without a value it is what is returned, else how often. */
static void put_argdist(struct buf *line, const struct probe *p, const struct probe_here *here, bool histogram)
{
	bool returns = str_is(p->kind, "r"), counts = !here->values.n && !returns;

	if (here->values.n > 1 || (counts && here->condition)) {
		put_table(line, here);
		return;
	}
	buf_puts(line, counts ? "culprit funccount" : "culprit argdist");
	put_word(line, here->source);
	if (counts)
		return;
	if (!histogram)
		put_word(line, "-C");
	put_word(line, "-e");
	put_word(line, here->values.n ? here->values.v[0] : "ret");
	put_condition(line, here);
}

static const struct row {
	const char *tool;
	bool modes;			/* -C and -H, each before probes */
	bool (*read)(struct arena *a, struct str text, struct probe *p);
	void (*put)(struct buf *line, const struct probe *p, const struct probe_here *here, bool histogram);
} rows[] = {
	{ "trace", false, probe_read_trace, put_trace },
	{ "argdist", true, probe_read_argdist, put_argdist },
};

static const struct row *find_row(const struct shipped_tool *tool)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].tool, tool->name))
			return &rows[i];
	return NULL;
}

/* An option of the tool, with an expression behind it, which is no probe. */
static bool takes_value(const struct ast *tool, char **argv)
{
	const char *word = *argv;

	for (int i = 0; i < tool->params.n && *word == '-' && argv[1]; i++) {
		const struct ast_param *p = &tool->params.v[i];

		if (!str_is(p->type, "flag") && ((p->letter && word[1] == p->letter && !word[2]) ||
						 (word[1] == '-' && str_is(p->name, word + 2))))
			return true;
	}
	return false;
}

/* What is besides the probe stays as it is. */
static void put_others(struct buf *line, const struct row *row, const struct query *q, struct arena *a, char **argv)
{
	struct probe p;

	for (; *argv; argv++) {
		if (takes_value(q->session.compile.ast, argv))
			put_word(line, *argv++);
		else if (strcmp(*argv, "--") && row->read(a, str_of(*argv), &p))
			continue;
		else if (row->modes && (!strcmp(*argv, "-C") || !strcmp(*argv, "-H")))
			continue;
		put_word(line, *argv);
	}
}

static void say(struct query *q, const struct row *row, char **argv, const char *text, bool histogram)
{
	struct kernel_catalog *kernel = kernel_catalog_open(&q->err, &q->machine->features);
	struct buf line = { 0 };
	struct probe_here here;
	struct probe p;

	row->read(&q->arena, str_of(text), &p);
	probe_translate(&q->arena, kernel ? kernel_catalog_catalog(kernel) : NULL, &p, &here);
	row->put(&line, &p, &here, histogram);
	put_others(&line, row, q, &q->arena, argv);
	buf_putc(&line, 0);
	q->err = (struct err){ .arena = &q->arena };	/* without a catalog the names are missing */
	err_help(&q->err, "write %s%s%s", line.p, here.nameless ? "; arguments have names: culprit list -v " : "",
		 here.nameless ? here.source : "");
	err_push(&q->err, -1, "'%s' is a probe of bcc's %s", text, row->tool);
	buf_fini(&line);
	kernel_catalog_close(kernel);
}

bool probe_said(const struct shipped_tool *tool, char **argv)
{
	const struct row *row = find_row(tool);
	const char *found = NULL;
	bool histogram = true, of_found = true;
	struct query q;
	struct probe p;

	if (!row)
		return false;
	query_init(&q, tool->name, tool);
	q.session.compile.ast = tool_parse(&q.arena, tool, &q.spec.text);
	for (char **word = argv; *word && strcmp(*word, "--") && !found; word++) {
		if (takes_value(q.session.compile.ast, word))
			word++;
		else if (row->modes && (!strcmp(*word, "-C") || !strcmp(*word, "-H")))
			histogram = (*word)[1] == 'H';
		else if (row->read(&q.arena, str_of(*word), &p))
			found = *word, of_found = histogram;
	}
	if (found)
		say(&q, row, argv, found, of_found);
	if (found)
		err_print(&q.err, END_WRONG);
	query_fini(&q);
	return found;
}
