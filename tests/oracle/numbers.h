/*
 * numbers: arithmetic by hand, which shares nothing with src/bpf and src/table/op.c.
 */
#ifndef ORACLE_NUMBERS_H
#define ORACLE_NUMBERS_H

#include "oracle/program.h"

static bool values_equal(struct value a, struct value b)
{
	return a.none || b.none ? a.none && b.none : a.bits == b.bits && str_eq(a.text, b.text);
}

static bool is_true(struct value v)
{
	return !v.none && v.bits;
}

/* Two's complement, by hand: a number is negative by its top bit. */
static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
	uint64_t flip = is_signed ? 1ull << 63 : 0;

	return (a ^ flip) < (b ^ flip);
}

static uint64_t size_of(uint64_t x)
{
	return x >> 63 ? ~x + 1 : x;
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_signed, bool rest)
{
	uint64_t n;

	if (!b)
		return 0;
	if (!is_signed)
		return rest ? a % b : a / b;
	n = rest ? size_of(a) % size_of(b) : size_of(a) / size_of(b);
	return (rest ? a : a ^ b) >> 63 ? ~n + 1 : n;
}

static uint64_t shift_right(uint64_t a, unsigned by, bool is_signed)
{
	for (by &= 63; by; by--)
		a = a >> 1 | (is_signed ? a & 1ull << 63 : 0);
	return a;
}

#endif
