/*
 * chooser: choices, the same from the same seed, or bytes that somebody else chose.
 */
#ifndef ORACLE_CHOOSER_H
#define ORACLE_CHOOSER_H

#include <stddef.h>
#include <stdint.h>

struct chooser {
	uint64_t state;
	const uint8_t *bytes;		/* choices are these, then 0; NULL: random ones */
	size_t n_bytes;
};

static uint64_t draw_bytes(struct chooser *c, int n)
{
	uint64_t x = 0;

	for (; n && c->n_bytes; n--, c->n_bytes--)
		x = x << 8 | *c->bytes++;
	return x;
}

static uint64_t draw(struct chooser *c)
{
	uint64_t z;

	if (c->bytes)
		return draw_bytes(c, 8);
	z = c->state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static int below(struct chooser *c, int n)
{
	return (int)((c->bytes ? draw_bytes(c, 1) : draw(c)) % (uint64_t)n);
}

#endif
