/*
 * tools: the shipped query files, tools/NAME.q, as text inside the binary.
 * The Makefile writes the table; rows are sorted by name.
 */
#ifndef TOOLS_H
#define TOOLS_H

struct shipped_tool {
	const char *name;	/* "execsnoop" */
	const char *text;	/* the whole file, NUL-terminated */
	int bytes;		/* without the NUL */
};

extern const struct shipped_tool shipped_tools[];
extern const int shipped_tool_count;

#endif
