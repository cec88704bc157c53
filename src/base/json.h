/*
 * json: a text of RFC 8259 as a tree, in an arena. Hostile text gives NULL: nesting is bounded by 64
 * and the tree by 64 MB; strings are what the text says, also where they are not UTF-8.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INT, JSON_REAL, JSON_TEXT, JSON_ARRAY,
		 JSON_OBJECT };

struct json {
	enum json_kind kind;
	struct str text;		/* TEXT: unescaped; ends with a zero, too. INT, REAL: as written */
	uint64_t u;			/* INT: two's complement when negative */
	bool negative;
	struct str name;		/* as a member of an object */
	struct json *first, *next;	/* of ARRAY and OBJECT; n: how many */
	int n;
};

/* The value that text begins with; *used: how long it is, with the blanks behind it. NULL: *why says
 * what is wrong. */
struct json *json_parse(struct arena *a, struct str text, int *used, const char **why);
/* The value that is all of text. NULL: it is none. */
struct json *json_read(struct arena *a, struct str text);

/* j may be NULL. */
const struct json *json_member(const struct json *j, const char *name);	/* or NULL */
struct str json_text(const struct json *j);		/* of a TEXT, else empty */
bool json_is(const struct json *j, const char *text);	/* a TEXT that says this */
bool json_is_number(const struct json *j);

#endif
