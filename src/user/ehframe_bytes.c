/* Bytes of a section, taken one after the other, and the rows that they become. */
#include "user/ehframe_impl.h"

#include <string.h>

#include "base/arena.h"

uint64_t cursor_word(struct cursor *c, int bytes)
{
	uint64_t v = 0;

	if (c->end - c->p < bytes) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	if (bytes == 4)		/* nearly all: a copy of known size is one instruction */
		memcpy(&v, c->p, 4);
	else
		memcpy(&v, c->p, (size_t)bytes);
	c->p += bytes;
	return v;
}

static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	int shift = 0;
	uint8_t b;

	do {
		b = cursor_byte(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80 && shift < 70);
	if (is_signed && b & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

uint64_t cursor_uleb(struct cursor *c)
{
	return leb(c, false);
}

int64_t cursor_sleb(struct cursor *c)
{
	return (int64_t)leb(c, true);
}

struct cursor cursor_take(struct cursor *c, uint64_t bytes)
{
	struct cursor part = { c->p, c->p, false };

	if (c->bad || bytes > (uint64_t)(c->end - c->p)) {
		c->bad = part.bad = true;
		c->p = c->end;
		return part;
	}
	c->p += bytes;
	part.end = c->p;
	return part;
}

void rows_add(struct rows *r, uint64_t address, uint32_t rule)
{
	if (r->n && r->v[r->n - 1].address == address)
		r->n--;
	if (r->n && r->v[r->n - 1].rule == rule)
		return;
	if (r->n == EHFRAME_ROWS_MOST) {
		r->cut = true;
		return;
	}
	if (r->n >= r->cap) {
		r->cap = r->cap ? 2 * r->cap : 1024;
		r->v = xrealloc(r->v, sizeof(*r->v) * r->cap);
	}
	r->v[r->n++] = (struct ehframe_row){ address, rule };
}
