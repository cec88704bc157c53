/*
 * Arena memory: see arena.h. Chunks double up to 128 KiB; then they are huge pages, which cost
 * one page fault each. A larger request gets a chunk of its own.
 */
#include "base/arena.h"
#include "base/poison.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BYTES 4096u
#define SMALL_BYTES (1u << 17)		/* the largest of small chunks */
#define HUGE_BYTES (1u << 21)

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	_Alignas(16) char mem[];
};

/* Not abort(): it looks like a mistake of ours, and leaves a large core. */
static void out_of_memory(void)
{
	fputs("culprit: out of memory\nhelp: ask for less (--table-size, --max-open), or give it "
	      "more (ulimit -v, the cgroup)\n", stderr);
	_exit(1);
}

void *xmalloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t n, size_t bytes)
{
	void *p = calloc(n ? n : 1, bytes ? bytes : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xrealloc(void *old, size_t bytes)
{
	void *p = realloc(old, bytes ? bytes : 1);

	if (!p)
		out_of_memory();
	return p;
}

FILE *xmemstream(char **text, size_t *bytes)
{
	FILE *f = open_memstream(text, bytes);

	if (!f)
		out_of_memory();
	return f;
}

#ifdef __SANITIZE_ADDRESS__	/* finds leaks only in malloc's memory */
static void *huge_new(size_t bytes)
{
	return xmalloc(bytes);
}

static void huge_free(void *p, size_t bytes)
{
	(void)bytes;
	free(p);
}
#else
static void huge_free(void *p, size_t bytes)
{
	if (bytes)
		munmap(p, bytes);
}

/* Without the room around it that malloc would keep. */
static void *huge_new(size_t bytes)
{
	size_t before;
	char *p = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		out_of_memory();
	before = -(uintptr_t)p % HUGE_BYTES;
	huge_free(p, before);
	huge_free(p + before + bytes, HUGE_BYTES - before);
	madvise(p + before, bytes, MADV_HUGEPAGE);
	return p + before;
}
#endif

static struct arena_chunk *chunk_new(struct arena *a, size_t bytes)
{
	size_t size = a->chunk ? a->chunk->size * 2 : FIRST_BYTES;
	struct arena_chunk *c;

	if (size < bytes)
		size = bytes;
	if (size > SIZE_MAX - sizeof(*c) - HUGE_BYTES)
		out_of_memory();
	if (size > SMALL_BYTES) {
		size = (bytes + sizeof(*c) + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
		c = huge_new(size);
		size -= sizeof(*c);
	} else {
		c = xmalloc(sizeof(*c) + size);
	}
	c->next = a->chunk;
	c->used = 0;
	c->size = size;
	poison(c->mem, size);
	a->chunk = c;
	return c;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = a->chunk;
	size_t n = ((bytes + 15) & ~(size_t)15) + POISON_GAP_BYTES;
	void *p;

	if (n < bytes)
		out_of_memory();
	if (!c || c->size - c->used < n)
		c = chunk_new(a, n);
	p = c->mem + c->used;
	c->used += n;
	a->bytes += n;
	unpoison(p, bytes);
	return memset(p, 0, bytes);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *p = arena_alloc(a, n + 1);

	memcpy(p, s, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *p;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

static void free_chunks(struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *next = c->next;

		if (c->size > SMALL_BYTES)
			huge_free(c, c->size + sizeof(*c));
		else
			free(c);
		c = next;
	}
}

void arena_fini(struct arena *a)
{
	if (!a)
		return;
	free_chunks(a->chunk);
	*a = (struct arena){ 0 };
}

void arena_reset(struct arena *a)
{
	if (!a->chunk)
		return;
	free_chunks(a->chunk->next);
	a->chunk->next = NULL;
	a->chunk->used = 0;
	poison(a->chunk->mem, a->chunk->size);
	a->bytes = 0;
}
