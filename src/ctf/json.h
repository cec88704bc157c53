/* json: a text of RFC 8259 as a tree. */
#ifndef CTF_JSON_H
#define CTF_JSON_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INT, JSON_REAL, JSON_TEXT, JSON_ARRAY,
		 JSON_OBJECT };

struct json {
	enum json_kind kind;
	struct str text;		/* TEXT, unescaped; ends with a zero, too */
	uint64_t u;			/* INT: two's complement when negative */
	bool negative;
	struct str name;		/* as a member of an object */
	struct json *first, *next;	/* of ARRAY and OBJECT; n: how many */
	int n;
};

/* The value that text begins with; *used: how long it is. NULL: *why says what is wrong. */
struct json *json_parse(struct arena *a, struct str text, int *used, const char **why);
const struct json *json_get(const struct json *object, const char *name);	/* or NULL */
bool json_is(const struct json *j, const char *text);

#endif
