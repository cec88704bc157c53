/* What the sub-commands share: see cli/cmd.h. */
#include "cli/cmd.h"

#include "cli/options.h"

const struct command_row command_rows[] = {
#define COMMAND(function, command_name, command_arguments, command_help) \
	{ .name = command_name, .arguments = command_arguments, .help = command_help, \
	  .run = cmd_##function },
#include "cli/commands.def"
#undef COMMAND
	{ 0 }
};

struct ast *tool_parse(struct arena *a, const struct shipped_tool *tool,
		       struct source_text *text)
{
	struct diag diag = { .arena = a };

	*text = tool_text(a, tool);
	return parse(a, &diag, text);
}

static struct str line_at(struct str s, int at)
{
	int end = at;

	while (end < s.n && s.p[end] != '\n')
		end++;
	return str_sub(s, at, end - at);
}

struct str help_summary(const struct ast *ast)
{
	return line_at(ast->help, 0);
}

const char *const questions[] = {
#define QUESTION(text) text,
#include "cli/question.def"
#undef QUESTION
	NULL
};

void put_word(struct buf *b, const char *word)
{
	bool plain = *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					   "0123456789_./:,=@%+-")];

	if (b->n)
		buf_putc(b, ' ');
	if (plain) {
		buf_puts(b, word);
		return;
	}
	buf_putc(b, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *word);
	buf_putc(b, '\'');
}

int run_wordless(const char *name, const struct option_row *own, char **argv,
		 int (*run)(struct options *o, struct err *e))
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct option_set set = { .own = own, .only_own = true };
	struct options o;
	int status;

	options_init(&o, &a);
	if (options_parse(&o, &set, argv, &e)) {
		status = err_print(&e, END_WRONG);
	} else if (o.help) {
		status = cmd_help((char *[]){ (char *)name, NULL });
	} else if (o.words.n) {
		err_push(&e, -1, "%s takes no argument, but there is '%s'", name, o.words.v[0]);
		status = err_print(&e, END_WRONG);
	} else {
		status = run(&o, &e);
	}
	arena_fini(&a);
	return put_end(status);
}
