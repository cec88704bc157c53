/*
 * buf: text that is built up on the heap. Always NUL-terminated once
 * something was added. A zeroed buf is empty.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *p;
	size_t n, cap;
};

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_pad(struct buf *b, char c, int n);	/* n times c; n <= 0: nothing */
void buf_number(struct buf *b, uint64_t x);	/* as %llu, which costs ten times as much, */
void buf_hex(struct buf *b, uint64_t x);	/* and as %llx */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
void buf_clear(struct buf *b);			/* keeps the memory */
void buf_fini(struct buf *b);

#endif
