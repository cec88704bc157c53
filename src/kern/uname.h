/*
 * uname: names of functions as their users write them, C++ and Rust demangled.
 */
#ifndef KERN_UNAME_H
#define KERN_UNAME_H

#include "base/arena.h"
#include "base/str.h"

/* Longer ones are not looked at. */
#define UNAME_BYTES_MOST 16384

struct uname {
	struct str pattern;
	bool glob, parameters;		/* it has globs; it has a parameter list */
	struct str literal;		/* must be in a mangled name; n 0: nothing known */
};

struct uname uname_pattern(struct str pattern);

/* Does the symbol, whose name ends before any '@VERSION', have this name? scratch has
 * room for UNAME_BYTES_MOST. */
bool uname_matches(const struct uname *u, struct str symbol, char *scratch);

/* The demangled name without parameters, or the name itself. */
const char *uname_shown(struct arena *a, struct str symbol);

/* The name without what a compiler adds to its copies, of which n is 0 when it is a
 * part that nobody calls. */
struct str uname_plain(struct str symbol);

#endif
