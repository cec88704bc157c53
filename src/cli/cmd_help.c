/*
 * What culprit says about itself. A tool's help is the comment at the head of its
 * file, its parameters, and where the common options are told.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/teach.h"
#include "cli/version.h"
#include "view/view.h"

#define LINE_COLUMNS 80			/* of a terminal that was never widened */

/* A blank and the word, or a new line that is indented, where it would be too long. */
static void add_word(struct buf *b, const char *word, int indent)
{
	size_t line = b->n;

	while (line && b->p[line - 1] != '\n')
		line--;
	if (b->n - line + 1 + strlen(word) > LINE_COLUMNS) {
		buf_putc(b, '\n');
		buf_pad(b, ' ', indent - 1);
	}
	buf_printf(b, " %s", word);
}

static void add_words(struct buf *b, const char *text, int indent)
{
	char word[LINE_COLUMNS];

	for (; *text; text += strspn(text, " ")) {
		size_t n = strcspn(text, " ");

		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		add_word(b, word, indent);
		text += n;
	}
}

static void add_common(struct buf *b)
{
	buf_puts(b, "\nOptions that every tool and query has:\n");
	options_print(option_common, b);
	buf_puts(b, "\nTIME is 10us, 1.5ms, 2s or 1m; without a unit it is seconds (for an option\n"
		 "with a default its unit). After the options\n"
		 "you can write [INTERVAL [COUNT]], as plain numbers. `-- COMMAND` starts the command,\n"
		 "traces it and its children, and stops when it ends.\n");
}

/* "SOURCE [INTERVAL [COUNT]]", "[TIME]": what stands there without an option's name. */
static void add_plain(struct buf *b, const struct ast *ast)
{
	for (int i = 0; i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];
		const struct param_type *t = param_type_find(p->type);

		if (p->letter || !t || t->plain == PLAIN_NONE || (t->plain == PLAIN_FIRST && i))
			break;
		if (t->plain == PLAIN_FIRST) {
			buf_printf(b, "[%s] ", t->value);
			return;
		}
		buf_printf(b, p->value ? "[%s%s] " : "%s%s ", t->value,
			   t->plain == PLAIN_REST ? " ..." : "");
		if (t->plain == PLAIN_REST)
			return;
	}
	buf_puts(b, "[INTERVAL [COUNT]] ");
}

/* Of every common option its letter, or the name if it has none. */
static void add_common_names(struct buf *b)
{
	char name[32];

	for (const struct option_row *r = option_common; r->name; r++)
		if (r->letter) {
			snprintf(name, sizeof(name), "-%c", r->letter);
			add_word(b, name, 4);
		}
	for (const struct option_row *r = option_common; r->name; r++)
		if (!r->letter) {
			snprintf(name, sizeof(name), "--%s", r->name);
			add_word(b, name, 4);
		}
}

void print_query_help(const char *name, const struct ast *ast)
{
	struct buf b = { 0 };

	buf_printf(&b, "culprit %s [OPTIONS] ", name);
	add_plain(&b, ast);
	buf_printf(&b, "[-- COMMAND ...]\n\n%.*s", STR_ARG(ast->help));
	if (ast->params.n) {
		buf_puts(&b, "\nOptions:\n");
		options_print_params(ast, &b);
	}
	buf_puts(&b, "\nEvery tool also has what culprit run --help explains:\n   ");
	add_common_names(&b);
	buf_putc(&b, '\n');
	put(&b);
	buf_fini(&b);
}

void print_tool_help(const struct shipped_tool *tool)
{
	struct arena a = { 0 };
	struct source_text text;

	print_query_help(tool->name, tool_parse(&a, tool, &text));
	arena_fini(&a);
}

/* The text without the comment at its head. */
static const char *tool_query(const char *text)
{
	const char *at = text;

	while (*at == '#' || *at == '\n')
		at += strcspn(at, "\n") + 1;
	return at;
}

static void print_tool_more(const struct shipped_tool *tool)
{
	struct arena a = { 0 };
	struct buf b = { 0 };

	about_tool(tool, &b);
	buf_printf(&b, "\nThe query, tools/%s.q:\n\n%s", tool->name,
		   tool_query(tool_text(&a, tool).text.p));
	put(&b);
	buf_fini(&b);
	arena_fini(&a);
}

void print_command_help(const struct command_row *row)
{
	struct buf b = { 0 };

	buf_printf(&b, "culprit %s %s\n\n%s\n", row->name, row->arguments, row->help);
	if (row->run == cmd_run) {
		buf_puts(&b, "\nFive first queries; `culprit help language` teaches all of it:\n");
		teach_first(&b);
		buf_puts(&b, "\nOptions:\n");
		options_print(option_file, &b);
		add_common(&b);
	} else if (row->run == cmd_list) {
		buf_puts(&b, "\n    culprit list events '*retrans*'\n"
			 "    culprit list -v syscall:openat\n\nOptions:\n");
		options_print(option_list, &b);
	} else if (row->run == cmd_doctor) {
		buf_puts(&b, "\nOptions:\n");
		options_print(option_doctor, &b);
	} else if (row->run == cmd_explain) {
		buf_puts(&b, "\n    culprit explain 'syscall:read | count by comm'\n"
			 "    culprit explain biolatency -Q\n\nOptions:\n");
		options_print(option_dump, &b);
	} else if (row->run == cmd_flame) {
		buf_puts(&b, "\n    culprit flame -o out.svg stacks.folded\n"
			 "    culprit flame --diff -o change.html before.folded after.folded\n\nOptions:\n");
		options_print(option_flame, &b);
	} else if (row->run == cmd_diff) {
		buf_puts(&b, "\n    culprit diff before.json after.json\n"
			 "    culprit diff --top 10 -o change.csv before.json after.json\n\nOptions:\n");
		options_print(option_diff, &b);
	}
	put(&b);
	buf_fini(&b);
}

/* The tools by question. */
static void add_questions(struct buf *b)
{
	for (int i = 0; questions[i]; i++) {
		buf_printf(b, "  %s\n     ", questions[i]);
		for (int k = 0; k < shipped_tool_count; k++)
			if (!strcmp(shipped_tools[k].question, questions[i]))
				add_word(b, shipped_tools[k].name, 6);
		buf_putc(b, '\n');
	}
}

static void overview(bool all)
{
	struct buf b = { 0 };

	buf_puts(&b, "culprit: what is slow on this machine, and why. Try `culprit demo`, then ask:\n");
	add_questions(&b);
	if (all) {
		buf_puts(&b, "\nculprit TOOL [OPTIONS] [-- COMMAND ...]\n");
		for (const struct command_row *r = command_rows; r->name; r++) {
			buf_printf(&b, "culprit %s%s%s\n       ", r->name, *r->arguments ? " " : "", r->arguments);
			add_words(&b, r->help, 8);
			buf_putc(&b, '\n');
		}
	}
	buf_puts(&b, all ? "\nculprit TOOL --help explains a tool, culprit run --help the options,\n"
		 "culprit help language queries of your own.\n" :
		 "culprit TOOL --help; with a query of your own: culprit run; all: culprit --help\n");
	put(&b);
	buf_fini(&b);
}

static bool help_command(const char *name)
{
	const struct command_row *r = command_rows;

	while (r->name && strcmp(r->name, name))
		r++;
	if (r->name)
		print_command_help(r);
	return r->name;
}

/* Of the language: all of it, a part, a word of it. */
static bool help_language(const char *name)
{
	struct buf b = { 0 };
	bool found = true;

	if (!strcmp(name, "language"))
		teach_language(&b);
	else
		found = teach_part(&b, name) || teach_rows(&b, name);
	put(&b);
	buf_fini(&b);
	return found;
}

static void tool_mentions(struct buf *b, const char *word)
{
	struct arena a = { 0 };
	struct source_text text;

	for (int i = 0; i < shipped_tool_count; i++) {
		const struct shipped_tool *t = &shipped_tools[i];

		teach_mention(b, "culprit", t->name, help_summary(tool_parse(&a, t, &text)), word);
	}
	arena_fini(&a);
}

static void view_mentions(struct buf *b, const char *word)
{
	for (const struct view_ops *const *v = view_registry; *v; v++)
		teach_mention(b, "--format", (*v)->name, str_of((*v)->help), word);
}

/* What has no such name may still be told of: tools first, then the language and pictures. */
static bool help_mentions(const char *word)
{
	struct buf b = { 0 };
	bool found;

	if (!isalnum((unsigned char)*word))
		return false;
	tool_mentions(&b, word);
	teach_mentions(&b, word);
	view_mentions(&b, word);
	found = b.n;
	if (found)
		printf("nothing has the name '%s'; these are about it:\n", word);
	put(&b);
	buf_fini(&b);
	return found;
}

static int help_nothing(const char *name)
{
	const char *near = teach_nearest(name);

	complain("culprit: there is no help for '%s'\n", name);
	if (strchr(name, '|'))
		fputs("help: for a query: culprit explain 'QUERY'\n", stderr);
	else if (near)
		fprintf(stderr, "help: did you mean `culprit help %s`?\n", near);
	else
		fputs("help: `culprit list tools` shows the tools, `culprit help language` explains queries\n",
		      stderr);
	return END_WRONG;
}

/* Only a source has such signs. */
static bool looks_like_source(const char *text)
{
	return (strpbrk(text, ":@(") || !strncmp(text, "every ", 6)) && !strchr(text, '|');
}

int cmd_help(char **argv)
{
	const char *name = argv[0];
	const struct shipped_tool *tool = name ? tool_find(name) : NULL;

	if (tool) {
		print_tool_help(tool);
		print_tool_more(tool);
	} else if (!name || !strcmp(name, "--help")) {
		overview(true);
	} else if (!help_command(name) && !help_language(name) &&
		   (looks_like_source(name) || !help_mentions(name))) {
		return looks_like_source(name) ? put_end(help_source(name)) : help_nothing(name);
	}
	return put_end(END_DONE);
}

int print_overview(void)
{
	overview(false);
	return put_end(END_DONE);
}
