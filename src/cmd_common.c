/* What the sub-commands share: see cmd.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

const struct command_row command_rows[] = {
#define COMMAND(function, command_name, command_arguments, command_help) \
	{ .name = command_name, .arguments = command_arguments, .help = command_help, \
	  .run = cmd_##function },
#include "commands.def"
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
#include "question.def"
#undef QUESTION
	NULL
};

bool put(struct buf *b)
{
	bool ok = !b->n || fwrite(b->p, 1, b->n, stdout) == b->n;

	buf_clear(b);
	return ok;
}

int put_end(int status)
{
	/* an earlier write's reason is still in errno: nothing but put() comes between */
	int error = fflush(stdout) || ferror(stdout) ? (errno ? errno : EIO) : 0;

	if (!error || error == EPIPE)
		return status;
	fprintf(stderr, "culprit: cannot write: %s\n", strerror(error));
	return status ? status : END_FAILED;
}

int err_print(const struct err *e, int status)
{
	for (int i = e->causes.n - 1; i >= 0; i--)
		fprintf(stderr, "%s%s\n", i == e->causes.n - 1 ? "culprit: " : "  because: ",
			e->causes.v[i]);
	if (e->help)
		fprintf(stderr, "help: %s\n", e->help);
	else if (e->unable)
		fputs("help: `culprit doctor` says what this machine can trace\n", stderr);
	return e->unable ? END_UNABLE : status;
}
