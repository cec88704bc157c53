/*
 * function_name: names of functions as their users write them, C++ and Rust demangled.
 */
#ifndef USER_FUNCTION_NAME_H
#define USER_FUNCTION_NAME_H

#include "base/arena.h"
#include "base/str.h"

/* Longer ones are not looked at. */
#define FUNCTION_NAME_BYTES_MOST 16384

struct function_name {
	struct str pattern;
	bool glob, parameters;		/* it has globs; it has a parameter list */
	struct str literal;		/* must be in a mangled name; n 0: nothing known */
};

struct function_name function_name_pattern(struct str pattern);

/* Does the symbol, whose name ends before any '@VERSION', have this name? scratch has
 * room for FUNCTION_NAME_BYTES_MOST. */
bool function_name_matches(const struct function_name *u, struct str symbol, char *scratch);

/* The demangled name without parameters, or the name itself. */
const char *function_name_shown(struct arena *a, struct str symbol);

/* The name without what a compiler adds to its copies, of which n is 0 when it is a
 * part that nobody calls. */
struct str function_name_plain(struct str symbol);

#endif
