/* Growing text: see buf.h. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define NUMBER_MOST 20			/* digits of a u64 */
#define USUAL_BYTES 32			/* of a formatted piece */

static void reserve(struct buf *b, size_t more)
{
	size_t want = b->n + more + 1;

	if (want <= b->cap)
		return;
	b->cap = b->cap ? b->cap : 64;
	while (b->cap < want)
		b->cap *= 2;
	b->p = xrealloc(b->p, b->cap);
}

void buf_add(struct buf *b, const void *bytes, size_t n)
{
	reserve(b, n);
	if (n)
		memcpy(b->p + b->n, bytes, n);
	b->n += n;
	b->p[b->n] = 0;
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
	if (b->n + 2 > b->cap)
		reserve(b, 1);
	b->p[b->n++] = c;
	b->p[b->n] = 0;
}

/* The digits of x from the end of text backwards; how many. */
static size_t digits(uint64_t x, unsigned base, char text[NUMBER_MOST])
{
	size_t n = 0;

	do
		text[NUMBER_MOST - ++n] = "0123456789abcdef"[x % base];
	while (x /= base);
	return n;
}

void buf_number(struct buf *b, uint64_t x)
{
	char text[NUMBER_MOST];
	size_t n = digits(x, 10, text);

	buf_add(b, text + NUMBER_MOST - n, n);
}

void buf_hex(struct buf *b, uint64_t x)
{
	char text[NUMBER_MOST];
	size_t n = digits(x, 16, text);

	buf_add(b, text + NUMBER_MOST - n, n);
}

void buf_pad(struct buf *b, char c, int n)
{
	if (n <= 0)
		return;
	reserve(b, (size_t)n);
	memset(b->p + b->n, c, (size_t)n);
	b->n += (size_t)n;
	b->p[b->n] = 0;
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	size_t room;
	va_list again;
	int n;

	reserve(b, USUAL_BYTES);	/* nearly always enough: else it is formatted twice */
	room = b->cap - b->n;
	va_copy(again, ap);
	n = vsnprintf(b->p + b->n, room, fmt, again);
	va_end(again);
	if (n < 0) {
		b->p[b->n] = 0;
		return;
	}
	if ((size_t)n >= room) {
		reserve(b, (size_t)n);
		vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	}
	b->n += (size_t)n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	if (b->p)
		b->p[0] = 0;
}

void buf_fini(struct buf *b)
{
	if (!b)
		return;
	free(b->p);
	*b = (struct buf){ 0 };
}
