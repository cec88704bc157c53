/*
 * arena: memory that is freed in one call.
 *
 * There are two lifetimes in culprit: the program (text, syntax, types, plan,
 * code) and one refresh window (result rows). Each is an arena. Everything an
 * arena returns is zeroed and aligned to 16 bytes. Out of memory ends the
 * program with a message: a command-line tool has no better plan.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk;	/* newest first */
	size_t bytes;			/* handed out so far */
};

void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap);

/* Frees all; the arena can be used again. NULL and a zeroed arena are fine. */
void arena_fini(struct arena *a);
/* The same, but keeps its newest piece for what is asked next. */
void arena_reset(struct arena *a);

#define arena_new(a, T) ((T *)arena_alloc(a, sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc(a, sizeof(T) * (size_t)(n)))

/* malloc, realloc and open_memstream that end the program instead of returning NULL. */
void *xmalloc(size_t bytes);
void *xcalloc(size_t n, size_t bytes);
void *xrealloc(void *p, size_t bytes);
FILE *xmemstream(char **text, size_t *bytes);

#endif
