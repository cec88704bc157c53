/*
 * ulines: source lines, and the functions that the compiler put into others, by libdw in
 * a child (udwarf.h).
 */
#ifndef KERN_ULINES_H
#define KERN_ULINES_H

#include "base/arena.h"
#include "kern/uimage.h"

struct ulines;

struct uline {
	const char *name;		/* of an inlined function; NULL: of the last, not inlined */
	const char *file;		/* NULL: not known */
	int line;
};

/* fd, path and root as in usymtab_load(). NULL: no lines are known of this file. */
struct ulines *ulines_open(int fd, const char *path, const char *root);
void ulines_close(struct ulines *u);

/* The lines of an address as the file has it, innermost first, the last is the one of the
 * function itself. 0: not known. At most `most`. */
int ulines_find(struct ulines *u, uint64_t addr, struct arena *a, struct uline *out, int most);
/* Why no more will be known; NULL: nothing is in the way. */
const char *ulines_trouble(const struct ulines *u);

#endif
