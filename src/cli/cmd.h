/*
 * cmd: what the sub-commands share. Each is cmd_NAME.c and a row of cli/commands.def; it
 * gets the arguments behind its name and returns the exit status.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "base/buf.h"
#include "cli/ending.h"
#include "cli/tools.h"
#include "lang/ast.h"
#include "lang/catalog.h"

#define COMMAND(function, name, arguments, help) int cmd_##function(char **argv);
#include "cli/commands.def"
#undef COMMAND
int cmd_tool(const struct shipped_tool *tool, char **argv);
/* A query file, which runs like a tool: argv[0]. */
int cmd_file(char **argv);
/* slow --suggest: which parts to give it. */
bool suggest_wanted(const struct shipped_tool *tool, char **argv);
int cmd_suggest(const struct shipped_tool *tool, char **argv);
/* A probe as bcc's trace and argdist take it: says how it is written here. False: there is none. */
bool probe_said(const struct shipped_tool *tool, char **argv);

struct command_row {
	const char *name, *arguments, *help;
	int (*run)(char **argv);
};
extern const struct command_row command_rows[];		/* ends with a NULL name */

/* A command that takes options of its own (NULL: none but --help and --without) and no words. */
struct options;
struct option_row;
int run_wordless(const char *name, const struct option_row *own, char **argv,
		 int (*run)(struct options *o, struct err *e));

/* The tool's syntax; shipped tools have no mistakes in it. */
struct ast *tool_parse(struct arena *a, const struct shipped_tool *tool,
		       struct source_text *text);
/* A word of a command line as the shell needs it; a blank before it where there is one. */
void put_word(struct buf *b, const char *word);
/* The first line of the help of a query file. */
struct str help_summary(const struct ast *ast);
/* The rows of cli/question.def, ended by NULL. */
extern const char *const questions[];

int print_overview(void);
void print_tool_help(const struct shipped_tool *tool);
/* The same of a query file; name: how it is called. */
void print_query_help(const char *name, const struct ast *ast);
/* What a tool costs and needs on this machine, and its columns. */
void about_tool(const struct shipped_tool *tool, struct buf *b);
void print_command_help(const struct command_row *row);
/* Fields, one a line, with what they are ("field", "returns") and their types. */
void print_fields(struct buf *b, const struct catalog *c, const char *what,
		  const struct cat_field *fields, int n);
/* `culprit help syscall:read`: what one source is and has. */
int help_source(const char *text);

/* A descriptor that can be read after Ctrl-C, SIGTERM or SIGHUP; a second one ends the program.
 * In cli/main.c. */
int stop_open(void);

#endif
