/*
 * source_lines: source lines, and the functions that the compiler put into others, by libdw in
 * a child (debug_info.h).
 */
#ifndef USER_SOURCE_LINES_H
#define USER_SOURCE_LINES_H

#include "base/arena.h"
#include "user/elf_file.h"

struct source_lines;

struct source_line {
	const char *name;		/* of an inlined function; NULL: of the last, not inlined */
	const char *file;		/* NULL: not known */
	int line;
};

/* fd, path and root as in symbol_table_load(). NULL: no lines are known of this file. */
struct source_lines *source_lines_open(int fd, const char *path, const char *root);
void source_lines_close(struct source_lines *u);

/* The lines of an address as the file has it, innermost first, the last is the one of the
 * function itself. 0: not known. At most `most`. */
int source_lines_find(struct source_lines *u, uint64_t addr, struct arena *a, struct source_line *out, int most);
/* Why no more will be known; NULL: nothing is in the way. */
const char *source_lines_trouble(const struct source_lines *u);

#endif
