/*
 * cmd: what the sub-commands share. Each is cmd_NAME.c and a row of commands.def; it
 * gets the arguments behind its name and returns the exit status.
 */
#ifndef CMD_H
#define CMD_H

#include "base/buf.h"
#include "base/err.h"
#include "lang/ast.h"
#include "tools.h"

enum ending {
	END_DONE,
	END_FAILED,	/* while running */
	END_WRONG,	/* the command line or the query */
	END_UNABLE,	/* this machine can't: culprit doctor says why */
};

#define COMMAND(function, name, arguments, help) int cmd_##function(char **argv);
#include "commands.def"
#undef COMMAND
int cmd_tool(const struct shipped_tool *tool, char **argv);
/* slow --suggest: which parts to give it. */
bool suggest_wanted(const struct shipped_tool *tool, char **argv);
int cmd_suggest(const struct shipped_tool *tool, char **argv);

struct command_row {
	const char *name, *arguments, *help;
	int (*run)(char **argv);
};
extern const struct command_row command_rows[];		/* ends with a NULL name */

/* The tool's syntax; shipped tools have no mistakes in it. */
struct ast *tool_parse(struct arena *a, const struct shipped_tool *tool,
		       struct source_text *text);
/* The first line of the help of a query file. */
struct str help_summary(const struct ast *ast);
/* The rows of question.def, ended by NULL. */
extern const char *const questions[];

int print_overview(void);
void print_tool_help(const struct shipped_tool *tool);
/* What a tool costs and needs on this machine, and its columns. */
void about_tool(const struct shipped_tool *tool, struct buf *b);
void print_command_help(const struct command_row *row);

/* A descriptor that can be read after Ctrl-C or SIGTERM; a second one ends the program.
 * In main.c. */
int stop_open(void);

/* Writes b to standard output and empties it; false when that failed. */
bool put(struct buf *b);
/* Flushes standard output at the end of a command; its status. */
int put_end(int status);
/* The chain of causes for standard error, once. Returns the exit status it means. */
int err_print(const struct err *e, int status);

#endif
