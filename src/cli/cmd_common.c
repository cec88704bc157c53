/* What the sub-commands share: see cli/cmd.h. */
#include "cli/cmd.h"

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
