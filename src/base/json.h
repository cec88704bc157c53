/*
 * json: one JSON value from text, in an arena. Hostile text gives NULL: nesting is
 * bounded, and text and numbers are what the file says.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	struct str name;			/* inside an object */
	struct str text;			/* STRING: decoded; NUMBER, BOOL: as written */
	struct json *first, *next;		/* what is in it; what follows it */
};

/* NULL: not JSON, or deeper than 64. */
struct json *json_read(struct arena *a, struct str text);
/* NULL: j is no object or has none of this name; j may be NULL. */
const struct json *json_member(const struct json *j, const char *name);
/* The text of a string, else an empty one; j may be NULL. */
struct str json_text(const struct json *j);

#endif
