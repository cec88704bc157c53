/*
 * tools: the shipped query files, tools/NAME.q, inside the binary. The Makefile writes
 * the table; rows are sorted by name.
 */
#ifndef CLI_TOOLS_H
#define CLI_TOOLS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/packed.h"

struct shipped_tool {
	const char *name;	/* "execsnoop" */
	const char *question;	/* a row of cli/question.def */
	struct packed file;
};

/* A tool that others have: what is there instead, or why it is not here. Rows of packaging/peers. */
struct peer {
	const char *name, *instead;
};

extern const struct peer peers[];		/* ends with a NULL name */
extern const struct shipped_tool shipped_tools[];
extern const int shipped_tool_count;

/* NULL when no shipped tool has the name. */
const struct shipped_tool *tool_find(const char *name);
/* What a peer's row says of this name; NULL: there is none. */
const char *tool_instead(const char *name);
/* The whole file, NUL-terminated. */
struct source_text tool_text(struct arena *a, const struct shipped_tool *tool);

#endif
