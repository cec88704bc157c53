/*
 * str: a slice of text that somebody else owns. Not NUL-terminated.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <string.h>

struct str {
	const char *p;
	int n;
};

/* printf("%.*s", STR_ARG(s)) */
#define STR_ARG(s) (s).n, (s).p

static inline struct str str_of(const char *z)
{
	return (struct str){ z, z ? (int)strlen(z) : 0 };
}

static inline bool str_is(struct str s, const char *z)
{
	return (size_t)s.n == strlen(z) && !memcmp(s.p, z, (size_t)s.n);
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, (size_t)a.n));	/* empty: p may be NULL */
}

static inline bool str_has_prefix(struct str s, const char *z)
{
	size_t n = strlen(z);

	return (size_t)s.n >= n && !memcmp(s.p, z, n);
}

/* The slice from byte `from` on, at most n bytes (n < 0: to the end). */
struct str str_sub(struct str s, int from, int n);
struct str str_trimmed(struct str s);	/* without white space at both ends */

/*
 * Does the glob match all of the text? `*` any run, `?` one character,
 * `[a-z]` one of a set ([!..] or [^..] none of it), `\` quotes. Linear in
 * text times pattern, never exponential.
 */
bool str_glob(struct str pattern, struct str text);
int str_glob_least(struct str pattern);	/* bytes of the shortest text that matches */
bool str_is_glob(struct str pattern);	/* has an unquoted * ? or [ */

/* How many edits turn a into b; gives up (returns limit + 1) past limit. */
int str_distance(struct str a, struct str b, int limit);

#endif
